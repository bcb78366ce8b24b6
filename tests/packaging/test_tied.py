"""What a test starts ends with it."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent

# Its command starts a process in a group of its own, as ninja does; both hold the pipe open and would wait for ever.
STARTER = """
import sys
sys.path.insert(0, sys.argv[1])
from commands import start

process = start("/bin/bash", "-c", 'exec 3>"$0"; set -m; sleep infinity & wait', sys.argv[2])
process.wait()
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_all_that_was_started_ends_with_the_group_of_its_starter(tmp_path: pathlib.Path, end: signal.Signals) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    starter = subprocess.Popen([sys.executable, "-c", STARTER, str(HERE), str(pipe)], process_group=0)
    with starter, pipe.open("rb") as held:  # opens when the command has started
        os.killpg(starter.pid, end)
        assert held.read() == b""  # ends when nobody holds it any more
