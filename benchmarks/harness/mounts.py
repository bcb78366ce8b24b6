"""Mounts of programs that serve a file system, for benchmarks: they end with whoever made them, and every wait ends."""

import contextlib
import ctypes
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

PATIENCE_S = 60
PR_SET_PDEATHSIG = 1
MNT_FORCE, MNT_DETACH = 1, 2
MOST_TRIES = 50


@dataclasses.dataclass(frozen=True)
class Mounted:
    """Where the files are, and the processes that serve them."""

    folder: pathlib.Path
    servers: list[int]

    @property
    def drops_pages(self) -> bool:
        """Whether the kernel's pages of a file may be dropped, and its bytes are still in memory below the mount."""
        return bool(self.servers)


def end_with_starter(how: int = signal.SIGTERM) -> None:
    """A child calls it: it gets the signal when its starter ends, and no Ctrl-C, which is its starter's. It may use all
    cores: a contender's own core is not that of its server."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, how)


def kill_with_starter() -> None:
    end_with_starter(signal.SIGKILL)


def program(name: str, package: str) -> str:
    """Where the program is; ends the contender with a word where it is not."""
    found = shutil.which(name)
    if found is None:
        sys.exit(f"no program {name} (Debian's package {package}): `make peers`")
    return found


def mount_points() -> list[str]:
    """All of this host, the latest last."""
    lines = pathlib.Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    return [re.sub(r"\\([0-7]{3})", lambda digits: chr(int(digits[1], 8)), line.split(" ")[4]) for line in lines]


def clear(folder: pathlib.Path) -> None:
    """Takes away all that is mounted there or below, also where its server does not answer."""
    for _ in range(MOST_TRIES):
        found = [point for point in mount_points() if pathlib.Path(point).is_relative_to(folder)]
        if not found:
            return
        for point in reversed(found):
            ctypes.CDLL(None).umount2(os.fsencode(point), MNT_FORCE | MNT_DETACH)
        time.sleep(0.1)


def wait_until_mounted(process: subprocess.Popen[bytes], point: pathlib.Path, log: pathlib.Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while str(point) not in mount_points():
        if process.poll() is not None or time.monotonic() > deadline:
            said = log.read_text(errors="replace").strip().splitlines()
            sys.exit(f"not mounted: {said[-1] if said else 'it said nothing'}")
        time.sleep(0.02)


def end(process: subprocess.Popen[bytes]) -> None:
    """By SIGTERM, and by SIGKILL if that is not enough."""
    process.terminate()
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(PATIENCE_S)


@contextlib.contextmanager
def server(command: list[str], environment: dict[str, str], log: pathlib.Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the block; what it says goes to the log."""
    with log.open("ab") as said:
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=said, preexec_fn=end_with_starter)
    try:
        yield process
    finally:
        end(process)


@contextlib.contextmanager
def mounted_by(command: list[str], environment: dict[str, str], point: pathlib.Path) -> Iterator[Mounted]:
    """What a program in the foreground mounts at the point."""
    point.mkdir(parents=True, exist_ok=True)
    clear(point)  # of a contender that was killed
    log = point.with_name(f"{point.name}.log")
    try:
        with server(command, environment, log) as process:
            wait_until_mounted(process, point, log)
            try:
                yield Mounted(point, [process.pid])
            finally:
                ctypes.CDLL(None).umount2(os.fsencode(point), 0)  # the server ends by itself then
    finally:
        clear(point)
