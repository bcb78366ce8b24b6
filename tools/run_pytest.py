"""Runs pytest over several processes, each test for a bounded time (conftest.py), and what may have failed by chance again.

    run_pytest.py NAME [PYTEST ARGUMENT...]

With the Python that runs it. What failed is kept in build/test-outcomes.txt with the closing line, which NAME begins.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import concurrency
import flaky
import orphans

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTCOMES = ROOT / "build" / "test-outcomes.txt"
NO_TESTS = 5


def pytest(*arguments: str, log: pathlib.Path) -> int:
    """The status; what is printed is also kept in the log."""
    command = [sys.executable, "-m", "pytest", *arguments]
    with log.open("wb") as file, orphans.Watch(log.parent):
        running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert running.stdout is not None
        for line in running.stdout:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
            file.write(line)
    return running.wait()


def failures_of(report: pathlib.Path) -> dict[str, str]:
    """{node: why} of what failed."""
    failures: dict[str, str] = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        found = case.find("failure")
        if found is None:
            found = case.find("error")
        if found is not None:
            file = case.get("file") or (case.get("classname") or "").replace(".", "/") + ".py"
            failures[f"{file}::{case.get('name')}"] = (found.get("message") or "") + (found.text or "")
    return failures


def past_deadline(folder: pathlib.Path) -> set[str]:
    """The tests whose process conftest.py has ended; their stacks are printed."""
    nodes = set()
    for path in folder.glob("running-*"):
        node, _, stacks = path.read_text().partition("\n")
        if stacks.startswith("Timeout"):
            print(f"== {node} took too long; its stacks:\n{stacks}", flush=True)
            nodes.add(node)
    return nodes


def passes_again(failures: dict[str, str], folder: pathlib.Path) -> bool:
    """Whether nothing failed but what may, and all of that passes alone, as often as flaky.py says."""
    late = past_deadline(folder)
    if not failures or not all(node in late or flaky.NO_PORT.search(why) for node, why in failures.items()):
        return False
    for node in failures:
        for _ in range(flaky.REPEATS):
            if pytest("-q", "-n", "0", node, log=folder / "again.txt") != 0:
                return False
        flaky.note(node, "deadline" if node in late else "port taken")
    return True


def main() -> int:
    name, *arguments = sys.argv[1:]
    folder = ROOT / "build" / f"pytest-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    os.environ["FOREBAY_TEST_MARKS"] = str(folder)
    report = folder / "report.xml"
    log = folder / "output.txt"
    # In the order of conftest.py: the longest files first.
    jobs = str(concurrency.tests_at_a_time())
    deals = ["-n", jobs, "--dist", "loadfile", "-p", "tools.by_file", "--no-loadscope-reorder"]
    shown = ["--durations=10", "--durations-min=5"]
    status = pytest(*deals, *shown, f"--junitxml={report}", "-o", "junit_family=xunit1", *arguments, log=log)
    lines = log.read_text(errors="replace").splitlines()
    failed = [line for line in lines if re.match(r"(FAILED|ERROR) ", line)]
    closing = [line.strip("= ") for line in lines if re.search(r"\d+ (passed|failed|errors?)\b|no tests ran", line)][-1:]
    if status != 0 and report.exists() and passes_again(failures_of(report), folder):
        status = 0
        failed = []
        closing = [f"{' '.join(closing)}; what failed by chance passed when it was run again"]
    with OUTCOMES.open("a") as file:
        file.write("\n".join([*failed[:40], f"{name}: {' '.join(closing) or f'status {status}'}"]) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
