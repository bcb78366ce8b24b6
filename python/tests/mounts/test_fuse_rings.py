"""Mounts whose requests come by io_uring, where the kernel has that enabled for FUSE."""

from __future__ import annotations

import collections.abc
import concurrent.futures
import contextlib
import fcntl
import os
import pathlib
import random
import signal
import subprocess

import pytest
import s3_server
from daemon_host import Host
from mounted import Mount, contents, errno_of, mounted, mounts_at, run, wait_until

ENABLE = pathlib.Path("/sys/module/fuse/parameters/enable_uring")


@pytest.fixture
def rings(mount_point: pathlib.Path) -> collections.abc.Iterator[None]:
    """Enabled for the time of a test, as root may; one test at a time, also of those in other processes."""
    if not ENABLE.exists():
        pytest.skip("this kernel has no FUSE over io_uring")
    if os.geteuid() != 0:
        pytest.skip("only root enables FUSE over io_uring")
    with open(ENABLE) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = ENABLE.read_text()
        ENABLE.write_text("Y")
        yield
        ENABLE.write_text(before)


def words_of(process: pathlib.Path) -> list[bytes]:
    """The command line of a folder of /proc. Empty if the process has ended."""
    try:
        return (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def processes_at(mount_point: pathlib.Path) -> list[pathlib.Path]:
    """The folders in /proc of those that serve or hold the mount."""
    return [process for process in pathlib.Path("/proc").glob("[0-9]*")
            if os.fsencode(f"--at={mount_point}") in words_of(process)]


def uses_rings(mount: Mount) -> bool:
    """Whether some thread of its server has a ring: a descriptor of io_uring."""
    for process in processes_at(mount.path):
        with contextlib.suppress(OSError):
            if any(os.readlink(each) == "anon_inode:[io_uring]" for each in (process / "fd").iterdir()):
                return True
    return False


def test_programs_read_and_write(host: Host, rings: None, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    wanted = contents(small_tree)
    mount = Mount(host, mount_point, str(small_tree), "--io-uring", "--trust", "0s")
    try:
        assert uses_rings(mount)
        assert contents(mount_point) == wanted
        assert run("ls", "-R", cwd=mount_point) == run("ls", "-R", cwd=small_tree)
        content = random.Random(1).randbytes((20 << 20) + 7)
        (mount_point / "new").write_bytes(content)
        os.mkdir(mount_point / "folder")
        os.rename(mount_point / "new", mount_point / "folder" / "moved")
        assert (small_tree / "folder" / "moved").read_bytes() == content == (mount_point / "folder" / "moved").read_bytes()
        assert errno_of(lambda: os.rmdir(mount_point / "folder")) is not None
    finally:
        mount.close()


def test_many_at_once(host: Host, rings: None, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    names = [name for name in small_tree.rglob("*") if name.is_file()]
    wanted = {name: name.read_bytes() for name in names}

    def read(number: int) -> None:
        name = names[number % len(names)]
        seen = mount_point / name.relative_to(small_tree)
        assert seen.read_bytes() == wanted[name]
        (mount_point / f"{number}").write_bytes(b"x" * number)

    with mounted(host, mount_point, str(small_tree), "--io-uring", "--trust", "0s"):
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            list(pool.map(read, range(400)))
        assert len(os.listdir(mount_point)) == len(os.listdir(small_tree))


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
def test_a_program_that_waits_for_a_store_can_be_stopped(
    host: Host, rings: None, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    host.environment.update(bucket.environment())
    with mounted(host, mount_point, "s3://photos", "--io-uring"):
        names = sorted(mount_point.rglob("*.jpg"))
        bucket.stop()
        reader = subprocess.Popen(["cat", names[0]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with pytest.raises(subprocess.TimeoutExpired):
            reader.wait(0.3)
        reader.send_signal(signal.SIGINT)
        assert reader.wait(60) != 0


def test_a_mount_whose_server_is_killed_ends(
    host: Host, rings: None, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    mount = Mount(host, mount_point, str(small_tree), "--io-uring")
    try:
        servers = [int(process.name) for process in processes_at(mount_point) if b"--part=server" in words_of(process)]
        assert len(servers) == 1
        os.kill(servers[0], signal.SIGKILL)
        assert mount.process.wait(60) != 0
        wait_until(lambda: mounts_at(mount_point) == [])
    finally:
        mount.close()
