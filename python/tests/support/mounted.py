"""`forebay fuse` for tests: mounts that never outlive their test, and never hang it."""

from __future__ import annotations

import collections.abc
import contextlib
import ctypes
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time

import daemon_host
import pytest
from daemon_host import Host

LONGEST_S = 120  # then the mount is taken away, so that whoever waits for it gets an error
PATIENCE_S = 60
MOST_TRIES = 50  # to take away what is mounted at one place
PR_SET_PDEATHSIG = 1
MNT_FORCE, MNT_DETACH = 1, 2


def umount(path: pathlib.Path) -> None:
    """As `umount -f -l`, or what others than root have for it; nothing where nothing is mounted."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).umount2(os.fsencode(path), MNT_FORCE | MNT_DETACH)
    else:
        subprocess.run(["fusermount3", "-u", "-z", "--", path], capture_output=True, check=False, timeout=PATIENCE_S)


def clear(path: pathlib.Path) -> None:
    """Takes away all that is mounted there; fails if that does not work."""
    for _ in range(MOST_TRIES):
        if not mounts_at(path):
            return
        umount(path)
        time.sleep(0.02)
    assert mounts_at(path) == []


def mounts_at(path: pathlib.Path) -> list[str]:
    """The types of file systems that the kernel has mounted there."""
    found = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines():
        words, _, rest = line.partition(" - ")
        name = re.sub(r"\\([0-7]{3})", lambda digits: chr(int(digits[1], 8)), words.split(" ")[4])
        if name == str(path):
            found.append(rest.split(" ")[0])
    return found


def parts_of(path: pathlib.Path) -> dict[int, str]:
    """{process: what it does for the mount} of those of `forebay fuse` with this mount point."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"fuse" in words and os.fsencode(path) in words:
                parts = [word.partition(b"=")[2] for word in words if word.startswith(b"--part=")]
                found[int(folder.name)] = os.fsdecode(parts[0]) if parts else "starter"
    return found


def processes_of(path: pathlib.Path) -> list[int]:
    """Those of `forebay fuse` with this mount point."""
    return list(parts_of(path))


def process_of(path: pathlib.Path, part: str) -> int:
    """The one that is its server, or its supervisor, whichever of these that is."""
    parts = {"server": ("server", "careful-server"), "supervisor": ("first", "supervisor")}[part]
    [process] = [process for process, each in parts_of(path).items() if each in parts]
    return process


def kill_all(path: pathlib.Path) -> None:
    """Together, so that none starts another one."""
    stopped: set[int] = set()
    while new := set(processes_of(path)) - stopped:
        for process in new:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
        stopped |= new
    for process in stopped:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def why_not(folder: pathlib.Path) -> str:
    """Why nothing can be mounted here; empty where it can be."""
    if daemon_host.PROGRAM is None:
        return "the program is not installed beside Python"
    if not os.path.exists("/dev/fuse"):
        return "there is no /dev/fuse"
    (folder / "mount").mkdir()
    host = Host(folder / "home")
    with watched(folder / "mount"):
        done = host.run("fuse", str(folder / "mount"))
        if done.returncode != 0:
            return f"nothing may be mounted: {done.stderr.strip()}"
        assert host.run("unmount", str(folder / "mount")).returncode == 0
    return ""


def with_default_signals() -> None:
    """What nohup, or a shell that starts the tests in the background, has ignored. A child calls it."""
    for each in (signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)


def end_with_test() -> None:
    """The mount goes with its process: a signal that it may answer."""
    with_default_signals()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Mount:
    """A mount whose process stays in the foreground, but not longer than `longest_s`."""

    def __init__(self, host: Host, path: pathlib.Path, *arguments: str, longest_s: float = LONGEST_S) -> None:
        assert daemon_host.PROGRAM is not None
        path.mkdir(exist_ok=True)
        self.path = path
        words = [daemon_host.PROGRAM, "fuse", "--foreground", str(path), *arguments]
        self._errors = tempfile.TemporaryFile("w+")  # a pipe that nobody reads would stop the process when it is full
        self.process = subprocess.Popen(words, env=host.environment, stdout=subprocess.PIPE, stderr=self._errors,
                                        text=True, preexec_fn=end_with_test)
        self._watch = threading.Timer(longest_s, self._give_up)
        self._watch.daemon = True
        self._watch.start()
        assert self.process.stdout is not None
        if " is at " not in self.process.stdout.readline():
            self.close()
            raise AssertionError(self.errors())

    def errors(self) -> str:
        """What the process has written on stderr."""
        self._errors.seek(0)
        return self._errors.read()

    def _give_up(self) -> None:
        kill_all(self.path)
        umount(self.path)  # also where the process waits for its own mount

    def end(self, how: int = signal.SIGTERM) -> int:
        """The status of its process."""
        self.process.send_signal(how)
        return self.process.wait(30)

    def close(self) -> None:
        """Whatever has happened, nothing is left."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._watch.cancel()
        clear(self.path)
        kill_all(self.path)  # where the one that was started is none of them any more


@contextlib.contextmanager
def mounted(
    host: Host, path: pathlib.Path, *arguments: str, longest_s: float = LONGEST_S
) -> collections.abc.Iterator[pathlib.Path]:
    mount = Mount(host, path, *arguments, longest_s=longest_s)
    try:
        yield path
    finally:
        mount.close()


def kill_and_clear(path: pathlib.Path) -> None:
    """Of a mount in the background: whatever has happened, nothing is left."""
    kill_all(path)
    clear(path)


@contextlib.contextmanager
def watched(path: pathlib.Path) -> collections.abc.Iterator[None]:
    """What is mounted there in the background goes after LONGEST_S, and at the end of the block."""
    watch = threading.Timer(LONGEST_S, kill_and_clear, [path])
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()
        kill_and_clear(path)


def run(*words: str | os.PathLike[str], cwd: pathlib.Path | None = None) -> bytes:
    """What a program prints that has to succeed, within a bounded time."""
    done = subprocess.run(list(words), capture_output=True, check=False, timeout=LONGEST_S, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def contents(root: pathlib.Path) -> dict[str, str]:
    """{name: hash} of all files below a folder, by what scripts do."""
    found = {}
    for folder, _, files in os.walk(root):
        for name in files:
            whole = os.path.join(folder, name)
            with open(whole, "rb") as file:
                found[os.path.relpath(whole, root)] = hashlib.sha256(file.read()).hexdigest()
    return found


def errno_of(call: collections.abc.Callable[[], object]) -> int | None:
    with pytest.raises(OSError) as caught:
        call()
    return caught.value.errno


def wait_until(is_so: collections.abc.Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def sha256_of(name: pathlib.Path) -> str:
    return hashlib.sha256(name.read_bytes()).hexdigest()
