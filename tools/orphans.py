"""Processes that a process of pytest-xdist forked and left behind when a test took too long: their stacks, and their end.

They hold the pipe that pytest reads of the process that has ended, so that it would wait for them for ever.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import threading
import time

_EVERY_S = 2.0
_TELLS_S = 5.0  # for its stack, which faulthandler writes when it is aborted


def _text(pid: str, name: str) -> bytes:
    try:
        return pathlib.Path("/proc", pid, name).read_bytes()
    except OSError:
        return b""


def _parent(pid: str) -> int:
    fields = _text(pid, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


def orphans_of(marks: pathlib.Path) -> list[int]:
    """Forked by a process of the run that has `marks` in its environment, and given to a process that has not: to init,
    or to one that takes orphans, as bounded.py does."""
    def is_of_run(pid: str) -> bool:
        return f"FOREBAY_TEST_MARKS={marks}".encode() in _text(pid, "environ").split(b"\0")

    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        pid = path.name
        is_of_xdist = b"exec(eval(sys.stdin.readline()))" in _text(pid, "cmdline")
        if is_of_xdist and is_of_run(pid) and not is_of_run(str(_parent(pid))):
            found.append(int(pid))
    return found


def _send(sent: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sent)


def end(marks: pathlib.Path) -> None:
    """Has the orphans write their stacks, and kills those that do not end of it."""
    _send(signal.SIGABRT, orphans_of(marks))
    last = time.monotonic() + _TELLS_S
    while time.monotonic() < last and orphans_of(marks):
        time.sleep(0.1)
    _send(signal.SIGKILL, orphans_of(marks))


def _has_run_out(mark: pathlib.Path) -> bool:
    """Whether the test of that mark took too long; the mark is gone when it ends in time."""
    try:
        return b"\nTimeout" in mark.read_bytes()
    except OSError:
        return False


class Watch:
    """While it is entered, ends orphans once a test of the run has taken too long."""

    def __init__(self, marks: pathlib.Path) -> None:
        self._marks = marks
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="orphans", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(_EVERY_S):
            if any(_has_run_out(path) for path in self._marks.glob("running-*")):
                end(self._marks)
