"""Runs the C++ tests of a build folder: several programs at a time, each for a bounded time.

    run_programs.py [--jobs N] [--name NAME] BUILD [FOLDER...]

A test that passes its deadline ends its program (base/testing/deadline.cc); the program's other tests and the other
programs run all the same. What may have failed by chance is run again: flaky.py. Prints what went wrong, the names of
what was skipped, and last a line of counts, which is also appended to build/test-outcomes.txt.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

import bounded
import flaky

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTCOMES = ROOT / "build" / "test-outcomes.txt"
# A program of many tests, under a sanitizer, on a busy machine.
PROGRAM_SECONDS = 1500
BEGUN = re.compile(r"^\[ RUN      \] (\S+)$", re.MULTILINE)
ENDED = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] ([^ ,]+)(?:,.*)? \(\d+ ms\)$", re.MULTILINE)
DEADLINE = re.compile(r"^\[ DEADLINE \] (\S+)", re.MULTILINE)
REPORT = re.compile(r"^.*(Sanitizer:|: runtime error:)", re.MULTILINE)
LINES_AT_MOST = 150
# What the closing lines say of a failure has to fit where only an output's last few thousand characters are kept.
REASON_LINES = 16
REASON_COLUMNS = 160
FRAME = re.compile(r"^ *#\d+ .*\bforebay")


@dataclasses.dataclass
class Run:
    """One run of one program, read from what it printed."""

    name: str
    status: int
    output: str

    def __post_init__(self) -> None:
        self.tests = {test: outcome for outcome, test in ENDED.findall(self.output)}
        self.failed = [test for test, outcome in self.tests.items() if outcome == "FAILED"]
        self.skipped = [test for test, outcome in self.tests.items() if outcome == "SKIPPED"]
        self.past_deadline = DEADLINE.findall(self.output)
        begun = [test for test in BEGUN.findall(self.output) if test not in self.tests]
        self.broken_off = begun[-1:]

    @property
    def passed(self) -> int:
        return sum(outcome == "OK" for outcome in self.tests.values()) or int(self.status == 0 and not self.tests)

    def wrong(self) -> list[str]:
        """What failed: tests, or the program itself."""
        names = list(dict.fromkeys(self.failed + self.past_deadline + self.broken_off))
        report = REPORT.search(self.output)
        if report and not names:
            names = BEGUN.findall(self.output[:report.start()])[-1:]
        return names or ([f"{self.name} (status {self.status})"] if self.status != 0 else [])

    def reason(self) -> list[str]:
        """The first failure in a few lines: of a sanitizer's report what was done and the project's own frames."""
        report = REPORT.search(self.output)
        if report:
            lines = self.output[report.start():].split("\n")
            lines = [line for line in lines if line.rstrip().endswith(":") or FRAME.match(line) or REPORT.match(line)]
        else:
            part = self.part_of(self.failed[0]) if self.failed else ""
            lines = part.rstrip().split("\n")[1:-1]
        return [f"   {line.strip()[:REASON_COLUMNS]}" for line in lines[:REASON_LINES]]

    def part_of(self, test: str) -> str:
        """What was printed between the beginning of the test and the next one's."""
        begun = self.output.find(f"[ RUN      ] {test}\n")
        end = self.output.find("[ RUN      ]", begun + 1) if begun >= 0 else -1
        return self.output[begun:] if end < 0 else self.output[begun:end]

    def by_chance(self) -> list[str]:
        """The tests to run again, if nothing failed but what may."""
        suspects = list(dict.fromkeys(self.failed + self.past_deadline))
        others = set(self.broken_off) - set(suspects)
        if self.status not in (1, bounded.PAST_LIMIT) or not suspects or others or REPORT.search(self.output):
            return []
        chance = (test in self.past_deadline or flaky.NO_PORT.search(self.part_of(test)) for test in suspects)
        return suspects if all(chance) else []

    def show(self) -> None:
        """What was printed of the tests that failed and of a sanitizer's first report; the end, where there is neither."""
        report = REPORT.search(self.output)
        parts = [self.part_of(test) for test in dict.fromkeys(self.failed + self.past_deadline + self.broken_off)]
        if report and not any(REPORT.search(part) for part in parts):
            parts.append(self.output[report.start():])
        for part in parts or [self.output[-LINES_AT_MOST * 100:]]:
            lines = part.rstrip().split("\n")
            if len(lines) <= LINES_AT_MOST:
                print("\n".join(lines))
            elif parts:
                print("\n".join(lines[:LINES_AT_MOST]) + f"\n   ({len(lines) - LINES_AT_MOST} more lines)")
            else:
                print("\n".join(lines[-LINES_AT_MOST:]))


@dataclasses.dataclass
class Program:
    """A test program of ctest's list."""

    name: str
    command: list[str]
    folder: str
    logs: pathlib.Path

    def run(self, *options: str, mark: str = "") -> Run:
        log = self.logs / f"{self.name}{mark}.txt"
        command = [sys.executable, str(ROOT / "tools" / "bounded.py"), str(PROGRAM_SECONDS), *self.command, *options]
        with log.open("wb") as file:
            status = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, cwd=self.folder).returncode
        return Run(self.name, status, log.read_text(errors="replace"))

    def again(self, run: Run) -> int | None:
        """How many tests have passed after all: the suspects alone, as often as flaky.py says, and the rest of the
        program. None if one fails again."""
        suspects = run.by_chance()
        if not suspects:
            return None
        for number in range(flaky.REPEATS):
            repeated = self.run("--gtest_filter=" + ":".join(suspects), mark=f"-again-{number}")
            if repeated.status != 0 or not repeated.tests:
                return None
        others = run
        if run.past_deadline:
            others = self.run("--gtest_filter=-" + ":".join(suspects), mark="-rest")
            if others.status != 0:
                others.show()
                return None
        for test in suspects:
            flaky.note(f"{self.name}: {test}", "deadline" if test in run.past_deadline else "port taken")
        return others.passed + len(suspects)


def programs_of(build: pathlib.Path, folders: list[str]) -> list[Program]:
    """The largest first: they take longest."""
    listed = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True,
                            check=True)
    logs = build / "test-output"
    logs.mkdir(exist_ok=True)
    found = []
    for test in json.loads(listed.stdout)["tests"]:
        if "command" not in test or (folders and test["name"] not in folders):
            continue
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        found.append(Program(test["name"], test["command"], properties.get("WORKING_DIRECTORY", str(build)), logs))
    return sorted(found, key=lambda program: -pathlib.Path(program.command[0]).stat().st_size)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS", os.cpu_count() or 2)))
    parser.add_argument("--name", default="C++")
    settings = parser.parse_args()
    programs = programs_of(settings.build.resolve(), settings.folders)
    if not programs or len(programs) < len(settings.folders):
        print(f"run_programs.py: {settings.build} has no tests of {' '.join(settings.folders)}")
        return 1

    passed = 0
    skipped: list[str] = []
    wrong: dict[str, list[str]] = {}
    with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
        runs = list(pool.map(Program.run, programs))
    for program, run in zip(programs, runs, strict=True):
        skipped += run.skipped
        after_all = None
        if run.status != 0:
            print(f"-- {program.name}: status {run.status}")
            run.show()
            after_all = program.again(run)
            if after_all is None:
                names = run.wrong()
                wrong |= {f"{program.name}: {name}": [] for name in names}
                wrong[f"{program.name}: {names[0]}"] = run.reason()
        passed += run.passed if after_all is None else after_all
    for name in sorted(skipped):
        print(f"   skipped: {name}")
    lines = [line for name, reason in wrong.items() for line in (f"[  FAILED  ] {name}", *reason)]
    lines.append(f"{settings.name}: {passed} passed, {len(wrong)} failed, {len(skipped)} skipped")
    print("\n".join(lines), flush=True)
    with OUTCOMES.open("a") as file:
        file.write("\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
