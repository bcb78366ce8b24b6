"""tied.py COMMAND...: runs the command in a session of its own, and ends all of that session with whoever started it.

The starter holds the other end of the standard input: it closes when the starter goes, whatever ends it, a signal that
cannot be caught included.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import threading


def processes_of(session: int) -> list[int]:
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # one that has ended meanwhile
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state not in "ZX":
                found.append(int(folder.name))
    return found


def end_all(session: int) -> None:
    """Process groups would not do: ninja gives each compiler one of its own."""
    while found := processes_of(session):
        for process in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def main() -> int:
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)

    def end_with_starter() -> None:
        while os.read(0, 1):
            pass
        end_all(child.pid)

    threading.Thread(target=end_with_starter, daemon=True).start()
    status = child.wait()
    end_all(child.pid)
    return status


if __name__ == "__main__":
    sys.exit(main())
