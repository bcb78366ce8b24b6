"""Commands that a test runs, with all they start, and that end with the test at the latest."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTSIDE = ROOT / "tests" / "packaging" / "outside"
CUSTOM = ROOT / "examples" / "custom_operator"
TIED = ROOT / "tests" / "packaging" / "tied.py"
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


def start(*command: object, cwd: pathlib.Path = ROOT, **environment: str) -> "subprocess.Popen[str]":
    """The command, alive as long as its standard input is open; out of reach of signals to this process' group."""
    return subprocess.Popen([sys.executable, str(TIED), *map(str, command)], cwd=cwd, env={**os.environ, **environment},
                            start_new_session=True, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def run(*command: object, cwd: pathlib.Path = ROOT, **environment: str) -> str:
    """What the command printed, once it has ended well."""
    with start(*command, cwd=cwd, **environment) as process:
        assert process.stdin is not None and process.stdout is not None
        printed = process.stdout.read()
    assert process.returncode == 0, printed[-4000:]
    return printed
