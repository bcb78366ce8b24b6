"""The runners of tests: what hangs, crashes or outlives its test is named, and only chance is run again."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BOUNDED = [sys.executable, str(ROOT / "tools" / "bounded.py")]

# A program that prints what GoogleTest prints. What it does at its first run, and what it does when it is run again, are
# words of its command; it counts its runs in a file.
PROGRAM = '''\
import pathlib, sys
REPORT = """==================
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 8 at 0x7b04 by thread T1:
    #0 operator delete(void*) <null> (odd+0x1)
    #1 forebay::give_back() src/odd.cc:3 (odd+0x2)
SUMMARY: ThreadSanitizer: data race src/odd.cc:3 in forebay::give_back()
=================="""
runs = pathlib.Path(__file__).with_suffix(".runs")
number = int(runs.read_text()) if runs.exists() else 0
runs.write_text(str(number + 1))
chosen = next((word.split("=", 1)[1] for word in sys.argv if word.startswith("--gtest_filter=")), "*")
what = sys.argv[1] if number == 0 else sys.argv[2]
status = 0
for name in ("Suite.First", "Suite.Odd", "Suite.Last"):
    if chosen != "*" and (name in chosen) == chosen.startswith("-"):
        continue
    print(f"[ RUN      ] {name}", flush=True)
    if name != "Suite.Odd" or what == "passes":
        print(f"[       OK ] {name} (1 ms)", flush=True)
    elif what == "races":
        print(REPORT, flush=True)
        print(f"[       OK ] {name} (1 ms)", flush=True)
        status = 66
    elif what == "hangs":
        print(f"[ DEADLINE ] {name} took longer than 1 s", flush=True)
        sys.exit(124)
    elif what == "crashes":
        sys.exit(-11)
    else:
        print({"fails": "x_test.cc:7: Failure\\n2 is not 3", "has_no_port": "bind: Address already in use"}[what])
        print(f"[  FAILED  ] {name} (1 ms)", flush=True)
        status = 1
sys.exit(status)
'''


@pytest.fixture
def project(tmp_path: pathlib.Path) -> pathlib.Path:
    """A project with the tools and a build folder."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "build" / "dev").mkdir(parents=True)
    return tmp_path


def write_build(project: pathlib.Path, build: str, name: str, *behaviour: str) -> None:
    program = project / f"{name}.py"
    program.write_text(PROGRAM)
    words = " ".join(f'"{word}"' for word in (sys.executable, str(program), *behaviour))
    (project / "build" / build).mkdir(exist_ok=True)
    (project / "build" / build / "CTestTestfile.cmake").write_text(f"add_test({name} {words})\n")


def run_builds(project: pathlib.Path, *builds: str) -> tuple[int, str]:
    run = subprocess.run([sys.executable, "tools/run_programs.py", *builds], cwd=project, capture_output=True, text=True,
                         check=False)
    return run.returncode, run.stdout + run.stderr


def run_programs(project: pathlib.Path, *behaviour: str) -> tuple[int, str]:
    write_build(project, "dev", "odd", *behaviour)
    return run_builds(project, "build/dev")


def flaky(project: pathlib.Path) -> str:
    listed = project / "build" / "flaky.txt"
    return listed.read_text() if listed.exists() else ""


def test_programs_that_pass_are_counted(project: pathlib.Path) -> None:
    status, printed = run_programs(project, "passes", "passes")
    assert status == 0
    assert printed == "C++: 3 passed, 0 failed, 0 skipped\n"


@pytest.mark.parametrize(("first", "why"), [("hangs", "deadline"), ("has_no_port", "port taken")])
def test_chance_is_run_again_and_named(project: pathlib.Path, first: str, why: str) -> None:
    status, printed = run_programs(project, first, "passes")
    assert status == 0
    assert f"FLAKY odd: Suite.Odd: {why}" in printed
    assert flaky(project) == f"FLAKY odd: Suite.Odd: {why}\n"
    assert printed.endswith("C++: 3 passed, 0 failed, 0 skipped\n")


@pytest.mark.parametrize(("first", "again"), [
    ("hangs", "hangs"), ("has_no_port", "has_no_port"), ("fails", "passes"), ("crashes", "passes"), ("hangs", "crashes"),
    ("races", "passes"),
])
def test_what_is_no_chance_fails(project: pathlib.Path, first: str, again: str) -> None:
    status, printed = run_programs(project, first, again)
    assert status == 1
    assert "[  FAILED  ] odd: Suite.Odd" in printed
    assert "1 failed" in (project / "build" / "test-outcomes.txt").read_text()
    assert flaky(project) == ""


@pytest.mark.parametrize(("first", "why"), [
    ("fails", ["x_test.cc:7: Failure", "2 is not 3"]),
    ("races", ["Write of size 8 at 0x7b04 by thread T1:", "#1 forebay::give_back() src/odd.cc:3 (odd+0x2)"]),
])
def test_the_closing_lines_say_why(project: pathlib.Path, first: str, why: list[str]) -> None:
    run_programs(project, first, "passes")
    closing = [line.strip() for line in (project / "build" / "test-outcomes.txt").read_text().splitlines()]
    assert closing[0] == "[  FAILED  ] odd: Suite.Odd"
    assert [line for line in closing if line in why] == why
    assert "operator delete" not in "".join(closing)


def test_several_builds_have_closing_lines_of_their_own(project: pathlib.Path) -> None:
    write_build(project, "dev", "odd", "passes", "passes")
    write_build(project, "tsan", "even", "fails", "passes")
    status, printed = run_builds(project, "build/dev", "tsan=build/tsan:even")
    assert status == 1
    assert "C++: 3 passed, 0 failed, 0 skipped" in printed
    assert "[  FAILED  ] even: Suite.Odd" in printed
    assert "tsan: 2 passed, 1 failed, 0 skipped" in printed


GOOGLETEST = """#!{python}
import os, sys
chosen = [word.removeprefix("--gtest_filter=") for word in sys.argv[1:]]
tests = [f"Suite.T{{number}}" for number in range(6)]
if chosen and chosen[0].startswith("-"):
    tests = [test for test in tests if test not in chosen[0][1:].split(":")]
elif chosen:
    tests = chosen[0].split(":")
parts, part = int(os.environ.get("GTEST_TOTAL_SHARDS", 1)), int(os.environ.get("GTEST_SHARD_INDEX", 0))
print("[==========] Running tests")
for test in tests[part::parts]:
    print("[ RUN      ] " + test)
    if test == "{hanging}" and not chosen:
        print("[ DEADLINE ] Suite.T0 took longer than 1 s", flush=True)
        sys.exit(124)
    print("[       OK ] " + test + " (1 ms)", flush=True)
"""


def write_googletest(project: pathlib.Path, *, hanging: str = "") -> None:
    """Six tests, of which one may pass its deadline at first."""
    program = project / "odd_test"
    program.write_text(GOOGLETEST.format(python=sys.executable, hanging=hanging))
    program.chmod(0o755)
    (project / "build" / "dev" / "CTestTestfile.cmake").write_text(f'add_test(odd "{program}")\n')


def test_a_program_of_googletest_runs_in_parts(project: pathlib.Path) -> None:
    write_googletest(project)
    assert run_builds(project, "build/dev") == (0, "C++: 6 passed, 0 failed, 0 skipped\n")
    logs = project / "build" / "dev" / "test-output"
    assert [log.name for log in sorted(logs.iterdir()) if log.read_text().count("[       OK ]") == 3] == [
        "odd-0.txt", "odd-1.txt"
    ]


def test_what_a_deadline_left_of_a_part_runs_after_all(project: pathlib.Path) -> None:
    write_googletest(project, hanging="Suite.T0")
    status, printed = run_builds(project, "build/dev")
    assert status == 0
    assert printed.endswith("C++: 6 passed, 0 failed, 0 skipped\n")


def test_a_folder_without_tests_is_an_error(project: pathlib.Path) -> None:
    write_build(project, "dev", "odd", "passes", "passes")
    status, printed = run_builds(project, "build/dev:odd,even")
    assert status == 1
    assert "[  FAILED  ] build/dev has no tests of odd even" in printed


def nightly(*case: object) -> object:
    """Each of these runs pytest in several processes."""
    return pytest.param(*case, marks=pytest.mark.nightly)


PYTEST_FILE = """\
import pathlib, time
runs = pathlib.Path(__file__).with_suffix(".runs")

def test_first():
    pass

def test_odd():
    number = int(runs.read_text()) if runs.exists() else 0
    runs.write_text(str(number + 1))
    if number == 0:
        {odd}

def test_last():
    pass
"""


@pytest.mark.parametrize(("odd", "status", "told"), [
    ("time.sleep(600)", 0, "FLAKY test_it.py::test_odd: deadline"),
    ("import os; os.fork(); time.sleep(600)", 0, "FLAKY test_it.py::test_odd: deadline"),
    nightly("raise OSError('Address already in use')", 0, "FLAKY test_it.py::test_odd: port taken"),
    nightly("assert False", 1, "FAILED test_it.py::test_odd"),
    ("import os; os._exit(1)", 1, "FAILED test_it.py::test_odd"),
])
def test_pytest_runs_chance_again(project: pathlib.Path, odd: str, status: int, told: str) -> None:
    (project / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    (project / "test_it.py").write_text(PYTEST_FILE.format(odd=odd))
    settings = {**os.environ, "FOREBAY_TEST_DEADLINE_S": "3", "JOBS": "2"}
    run = subprocess.run([*BOUNDED, "240", sys.executable, "tools/run_pytest.py", "own", "test_it.py"], cwd=project,
                         env=settings, capture_output=True, text=True, check=False)
    assert run.returncode == status, run.stdout
    assert told in run.stdout
    assert re.search(r"\d passed", run.stdout)
    if "sleep" in odd:
        assert "in test_odd" in run.stdout  # the stack
    if "fork" in odd:
        assert "Fatal Python error: Aborted" in run.stdout  # the stack of what was left behind


@pytest.mark.parametrize("last", [
    nightly(""), nightly("def test_behind():\n    pass\n"), "def test_behind():\n    pass\n" * 3,
])
def test_pytest_runs_what_a_crash_has_left(project: pathlib.Path, last: str) -> None:
    """Whatever is left of its file, and whether or not other processes have ended by then."""
    (project / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    left = re.sub("behind", lambda _, numbers=iter(range(9)): f"behind_{next(numbers)}", last)
    (project / "test_it.py").write_text(f"import os, time\ndef test_odd():\n    time.sleep(1)\n    os._exit(1)\n{left}")
    for name in ("other", "another"):
        (project / f"test_{name}.py").write_text("def test_one():\n    pass\ndef test_two():\n    pass\n")
    run = subprocess.run([sys.executable, "tools/run_pytest.py", "own", "."], cwd=project, capture_output=True, text=True,
                         env={**os.environ, "JOBS": "2"}, check=False, timeout=60)
    assert run.returncode == 1
    assert run.stdout.count("FAILED test_it.py::test_odd") == 1, run.stdout
    assert f"1 failed, {4 + last.count('def')} passed" in run.stdout


def has_ended(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True


def test_bounded_passes_on_status_and_kills_what_is_left(tmp_path: pathlib.Path) -> None:
    left = tmp_path / "left"
    script = f"setsid sleep 600 & echo $! >{left}; until grep -q sleep /proc/$!/comm; do :; done; exit 3"
    run = subprocess.run([*BOUNDED, "60", "bash", "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 3
    assert "sleep 600" in run.stdout
    assert has_ended(int(left.read_text()))


def test_bounded_says_what_it_was_doing(tmp_path: pathlib.Path) -> None:
    steps = tmp_path / "steps.txt"
    settings = {**os.environ, "FOREBAY_STEPS": str(steps)}
    started = time.monotonic()
    step = [str(ROOT / "tools" / "step.sh"), "the slow step", "sleep", "600"]
    run = subprocess.run([*BOUNDED, "2", *step], env=settings, capture_output=True, text=True, check=False)
    assert run.returncode == 124
    assert time.monotonic() - started < 60
    assert "step: the slow step, since" in run.stdout
    assert "sleep 600" in run.stdout
