"""Repeats tests on a busy machine: what depends on time or order fails here.

    stress.py TEST [--times N] [--load N] [--folder NAME]

TEST is a filter of GoogleTest (`HttpStoreTest.*`), run in every program that has it, several copies at once, or a path
of pytest (`python/tests/stores/test_http.py::test_resume`, `python/tests`). Shows what fails; pytest ends with the first round that does.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

import bounded
import run_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPIES = 3
LIMIT_S = 3600


def programs_with(build: pathlib.Path, test: str, folder: str) -> list[run_programs.Program]:
    found = []
    for program in run_programs.programs_of(build, [folder] if folder else []):
        listed = subprocess.run([*program.command, "--gtest_list_tests", f"--gtest_filter={test}"], capture_output=True,
                                text=True, cwd=program.folder, timeout=60, check=False)
        if any(line.startswith("  ") for line in listed.stdout.splitlines()):
            found.append(program)
    return found


def repeat_programs(programs: list[run_programs.Program], test: str, times: int) -> bool:
    """Copies of each program at once, each repeating its part of the times."""
    each = -(-times // COPIES)
    options = [f"--gtest_filter={test}", f"--gtest_repeat={each}", "--gtest_shuffle"]
    with concurrent.futures.ThreadPoolExecutor(COPIES) as pool:
        runs = [pool.submit(program.run, *options, mark=f"-stress-{copy}") for program in programs for copy in range(COPIES)]
        passed = True
        for run in concurrent.futures.as_completed(runs):
            if run.result().status != 0:
                run.result().show()
                passed = False
    return passed


def repeat_pytest(test: str, times: int) -> bool:
    for number in range(times):
        command = [ROOT / ".venv" / "bin" / "python", "-m", "pytest", "-q", "-x", test]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        print(f"\r{number + 1} of {times}", end="", flush=True)
        if run.returncode != 0:
            print(f"\n{run.stdout[-20000:]}\n{run.stderr[-2000:]}")
            return False
    print()
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--load", type=int, default=2 * (os.cpu_count() or 2), help="busy processes beside the tests")
    parser.add_argument("--folder", default="", help="only this folder's test program")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / os.environ.get("PRESET", "dev"))
    settings = parser.parse_args()
    busy = [subprocess.Popen([sys.executable, "-c", f"import time\nend = time.time() + {LIMIT_S}\nwhile time.time() < end: pass"])
            for _ in range(settings.load)]
    started = time.monotonic()
    try:
        if ".py" in settings.test or (ROOT / settings.test).is_dir():
            passed = repeat_pytest(settings.test, settings.times)
        else:
            programs = programs_with(settings.build.resolve(), settings.test, settings.folder)
            if not programs:
                print(f"stress.py: no program in {settings.build} has a test {settings.test}")
                return 2
            passed = repeat_programs(programs, settings.test, settings.times)
    finally:
        for process in busy:
            process.kill()
            process.wait()
        bounded.kill_all()
    print(f"{settings.test}: {'passed' if passed else 'failed'}, {settings.times} times beside {settings.load} busy processes, "
          f"{time.monotonic() - started:.0f} s")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
