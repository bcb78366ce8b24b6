"""Runs a command for a bounded time, and ends with it everything that it has started.

    bounded.py SECONDS COMMAND...

The command's status is passed on; past the limit it is 124, after what was running has been printed: the steps that
tools/step.sh had begun, the processes, and their stacks. Processes that outlive the command are named and killed,
daemons among them: they have this process for their parent, which collects orphans.
"""

from __future__ import annotations

import ctypes
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

PAST_LIMIT = 124
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
STACKS_AT_MOST = 12
STACK_SECONDS = 20


@dataclasses.dataclass(frozen=True)
class Process:
    """A process below this one."""

    pid: int
    command: str

    def __str__(self) -> str:
        return f"{self.pid} {self.command[:200]}"


def prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for listed in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, listed.read_text().split())
        except OSError:
            pass
    return found


def has_ended(pid: int) -> bool:
    """Whether it is gone, or only waits for its parent to take its status."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def command_of(pid: int) -> str:
    """Empty for a moment while a process becomes another program; then its short name stands in."""
    try:
        line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        return line or pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "(ended)"


def below(pid: int) -> Iterator[Process]:
    """All processes that come from `pid`, parents first."""
    for child in children_of(pid):
        yield Process(child, command_of(child))
        yield from below(child)


def living(pid: int) -> list[Process]:
    return [process for process in below(pid) if not has_ended(process.pid)]


def collect() -> None:
    """Takes the status of orphans that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def kill_all(patience_s: float = 10) -> None:
    """Kills every process below this one, also those that come meanwhile."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        left = list(below(os.getpid()))
        if not left:
            return
        for process in left:
            try:
                os.kill(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        collect()
        time.sleep(0.02)


def print_stacks(processes: list[Process]) -> None:
    program = shutil.which("eu-stack")
    if program is None:
        return
    for process in processes[-STACKS_AT_MOST:]:
        print(f"-- stacks of {process}")
        try:
            shown = subprocess.run([program, "-p", str(process.pid)], capture_output=True, text=True, timeout=STACK_SECONDS)
            print(shown.stdout[:8000])
        except subprocess.TimeoutExpired:
            print("(not to be had in time)")


def print_running(seconds: float) -> None:
    print(f"== the limit of {seconds:.0f} s has passed; running are:")
    steps = os.environ.get("FOREBAY_STEPS")
    if steps:
        for step in sorted(pathlib.Path(steps + ".running").glob("*")):
            print(f"   step: {step.read_text().strip()}")
    processes = living(os.getpid())
    for process in processes:
        print(f"   {process}")
    print_stacks(processes)
    sys.stdout.flush()


def run(seconds: float, command: list[str]) -> int:
    """The command's status, or PAST_LIMIT."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    starter = os.getppid()
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

    def end(number: int, _frame: object) -> None:
        kill_all()
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    if os.getppid() != starter:
        return PAST_LIMIT
    started = subprocess.Popen(command)
    try:
        status = started.wait(seconds)
    except subprocess.TimeoutExpired:
        print_running(seconds)
        status = PAST_LIMIT
    left = living(os.getpid())
    if left and status != PAST_LIMIT:
        print(f"bounded.py: left running by {' '.join(command)[:100]}, killed:")
        for process in left:
            print(f"   {process}")
        sys.stdout.flush()
    kill_all()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(run(float(sys.argv[1]), sys.argv[2:]))
