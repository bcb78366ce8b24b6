"""Runs the C++ tests of build folders: several programs at a time, of all of them, each for a bounded time.

    run_programs.py [--jobs N] [NAME=]BUILD[:FOLDER,FOLDER...]...

A test that passes its deadline ends its program (base/testing/deadline.cc); the program's other tests and the other
programs run all the same. What may have failed by chance is run again: flaky.py. Prints what went wrong, the names of
what was skipped and of what took longest, and last a line of counts, which is also appended to
build/test-outcomes.txt.
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
import concurrency
import flaky

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTCOMES = ROOT / "build" / "test-outcomes.txt"
# A program of many tests, under a sanitizer, on a busy machine.
PROGRAM_SECONDS = 1500
PARTS = 2
# A test that takes so long is named, so that somebody asks whether it has to.
SLOW_SECONDS = 5
SHOWN_AS_SLOW = 10
BEGUN = re.compile(r"^\[ RUN      \] (\S+)$", re.MULTILINE)
ENDED = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] ([^ ,]+)(?:,.*)? \((\d+) ms\)$", re.MULTILINE)
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
        ended = ENDED.findall(self.output)
        self.tests = {test: outcome for outcome, test, _ in ended}
        self.seconds = {test: int(milliseconds) / 1000 for _, test, milliseconds in ended}
        self.failed = [test for test, outcome in self.tests.items() if outcome == "FAILED"]
        self.skipped = [test for test, outcome in self.tests.items() if outcome == "SKIPPED"]
        self.past_deadline = DEADLINE.findall(self.output)
        begun = [test for test in BEGUN.findall(self.output) if test not in self.tests]
        self.broken_off = begun[-1:]

    @property
    def passed(self) -> set[str]:
        """The tests; the program itself, if it is not GoogleTest's."""
        is_plain = self.status == 0 and "[==========]" not in self.output and not self.tests
        return {self.name} if is_plain else {test for test, outcome in self.tests.items() if outcome == "OK"}

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


@dataclasses.dataclass(eq=False)
class Program:
    """A test program of ctest's list, or a part of its tests."""

    name: str
    command: list[str]
    folder: str
    logs: pathlib.Path
    part: int | None = None

    def parts(self) -> list[Program]:
        """GoogleTest's programs take their tests in parts, so that no processor waits for the longest program."""
        if not self.command[0].endswith("_test"):
            return [self]
        return [dataclasses.replace(self, part=part) for part in range(PARTS)]

    def bytes(self) -> int:
        """Of its file: the larger a program is, the longer it takes."""
        return pathlib.Path(self.command[0]).stat().st_size

    def run(self, *options: str, mark: str = "", is_whole: bool = False) -> Run:
        is_part = self.part is not None and not is_whole
        log = self.logs / f"{self.name}{f'-{self.part}' if is_part else ''}{mark}.txt"
        command = [sys.executable, str(ROOT / "tools" / "bounded.py"), str(PROGRAM_SECONDS), *self.command, *options]
        of_part = {"GTEST_TOTAL_SHARDS": str(PARTS), "GTEST_SHARD_INDEX": str(self.part)} if is_part else {}
        with log.open("wb") as file:
            status = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, cwd=self.folder,
                                    env=os.environ | of_part).returncode
        return Run(log.stem, status, log.read_text(errors="replace"))

    def again(self, run: Run) -> set[str] | None:
        """The tests that have passed after all: the suspects alone, as often as flaky.py says, and the rest of the
        program, for its part is another one without them. None if one fails again."""
        suspects = run.by_chance()
        if not suspects:
            return None
        for number in range(flaky.REPEATS):
            repeated = self.run("--gtest_filter=" + ":".join(suspects), mark=f"-again-{number}", is_whole=True)
            if repeated.status != 0 or not repeated.tests:
                return None
        others = run
        if run.past_deadline:
            others = self.run("--gtest_filter=-" + ":".join(suspects), mark="-rest", is_whole=True)
            if others.status != 0:
                others.show()
                return None
        for test in suspects:
            flaky.note(f"{self.name}: {test}", "deadline" if test in run.past_deadline else "port taken")
        return others.passed | set(suspects)


def programs_of(build: pathlib.Path, folders: list[str]) -> list[Program]:
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
    return found


@dataclasses.dataclass
class Build:
    """A build folder whose programs are run, and what their closing lines are called."""

    name: str
    path: pathlib.Path
    folders: list[str]

    @classmethod
    def parse(cls, text: str) -> Build:
        """Of "[NAME=]BUILD[:FOLDER,FOLDER...]"."""
        name, _, place = text.rpartition("=")
        path, _, folders = place.partition(":")
        return cls(name or "C++", pathlib.Path(path), [folder for folder in folders.split(",") if folder])

    def programs(self) -> list[Program]:
        """None, which report() says, if some folder has none."""
        found = programs_of(self.path.resolve(), self.folders)
        return found if len(found) >= len(self.folders) else []

    def report(self, runs: dict[Program, Run]) -> bool:
        """Prints and keeps the closing lines; False if something failed."""
        passed: set[tuple[str, str]] = set()
        wrong: dict[str, list[str]] = {}
        if not runs:
            wrong[f"{self.path} has no tests of {' '.join(self.folders)}"] = []
        for program, run in runs.items():
            after_all = None
            if run.status != 0:
                print(f"-- {self.name}: {program.name}: status {run.status}")
                run.show()
                after_all = program.again(run)
                if after_all is None:
                    names = run.wrong()
                    wrong |= {f"{program.name}: {name}": [] for name in names}
                    wrong[f"{program.name}: {names[0]}"] = run.reason()
            passed |= {(program.name, test) for test in (run.passed if after_all is None else after_all)}
        slow = [(seconds, test) for run in runs.values() for test, seconds in run.seconds.items() if seconds > SLOW_SECONDS]
        for seconds, test in sorted(slow, reverse=True)[:SHOWN_AS_SLOW]:
            print(f"   {seconds:.0f} s: {test}")
        skipped = sorted(test for run in runs.values() for test in run.skipped)
        for test in skipped:
            print(f"   skipped: {test}")
        lines = [line for name, reason in wrong.items() for line in (f"[  FAILED  ] {name}", *reason)]
        lines.append(f"{self.name}: {len(passed)} passed, {len(wrong)} failed, {len(skipped)} skipped")
        print("\n".join(lines), flush=True)
        with OUTCOMES.open("a") as file:
            file.write("\n".join(lines) + "\n")
        return not wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", type=Build.parse, nargs="+", metavar="[NAME=]BUILD[:FOLDER,...]")
    parser.add_argument("--jobs", type=int, default=concurrency.tests_at_a_time())
    settings = parser.parse_args()
    of_build = [(build, part) for build in settings.builds for program in build.programs() for part in program.parts()]
    of_build.sort(key=lambda each: -each[1].bytes())
    with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
        runs = list(pool.map(lambda each: each[1].run(), of_build))
    outcomes = [
        build.report({program: run for (of, program), run in zip(of_build, runs, strict=True) if of is build})
        for build in settings.builds
    ]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
