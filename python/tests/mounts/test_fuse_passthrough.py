"""Files that the host's cache has whole, which the kernel serves by itself: `forebay fuse` hears of no read."""

from __future__ import annotations

import collections.abc
import contextlib
import ctypes
import json
import mmap
import os
import pathlib
import random
import signal
import threading
import time

import pytest
import web_server
from daemon_host import Host
from mounted import Mount, kill_all, process_of

MIB = 1 << 20
QUOTA_MIB = 24
LARGE = 8 * MIB + 1234  # no whole page
EVEN = 4 * MIB
MORE, MORE_SIZE = 12, 4 * MIB  # twice what the cache has room for
WHILE_STOPPED_S = 20
READS = 100
PAGE = mmap.PAGESIZE
MOST_TRIES = 50


def patterned(size: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(size)


@pytest.fixture
def far(tmp_path: pathlib.Path) -> collections.abc.Iterator[web_server.WebServer]:
    """Two large files, and many that fill the cache."""
    if web_server.program() is None:
        pytest.skip("nginx is not installed")
    root = tmp_path / "far"
    root.mkdir()
    (root / "large").write_bytes(patterned(LARGE, 1))
    (root / "even").write_bytes(patterned(EVEN, 2))
    for number in range(MORE):
        (root / f"more{number}").write_bytes(patterned(MORE_SIZE, 100 + number))
    for path in root.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))  # bytes of a young date are not kept
    (tmp_path / "web").mkdir()
    server = web_server.WebServer(root, tmp_path / "web", "autoindex on; autoindex_format json;")
    yield server
    server.stop()


@pytest.fixture
def mount(host: Host, far: web_server.WebServer, mount_point: pathlib.Path) -> collections.abc.Iterator[Mount]:
    """The file "large" is in the cache, "even" is not."""
    if os.geteuid() != 0:
        pytest.skip("the kernel lets only root have it serve files itself")
    host.start("--quota", f"{QUOTA_MIB}MiB")
    made = Mount(host, mount_point, far.url(), "--trust", "1h", "--read-only")
    try:
        bring(host, made.path / "large")
        if not is_passed_through_again(made, "large"):
            pytest.skip("the kernel serves no file by itself (CONFIG_FUSE_PASSTHROUGH, Linux 6.9), or not from here")
        yield made
    finally:
        made.close()


def bring(host: Host, path: pathlib.Path) -> None:
    """Reads a file by way of the mount, until the cache has written it to its disk."""
    path.read_bytes()
    assert host.run("cache", "verify").returncode == 0  # waits for what is still to be written


def is_passed_through_again(mount: Mount, name: str) -> bool:
    """Whether a file is, once the mount has heard that nobody has it open: the kernel says so after close()."""
    for _ in range(MOST_TRIES):
        with open(mount.path / name, "rb", buffering=0) as file:
            if is_passed_through(mount, file.fileno()):
                return True
        time.sleep(0.02)
    return False


def fill(mount: Mount) -> None:
    """Reads twice as much as the cache has room for, each file twice, so that it is worth as much as any other."""
    for number in range(MORE):
        for _ in range(2):
            with open(mount.path / f"more{number}", "rb", buffering=0) as file:
                drop_pages(file.fileno())
                assert file.readall() == patterned(MORE_SIZE, 100 + number)


def held_bytes(host: Host, url: str) -> int:
    """How much the cache has of an object."""
    held: int = json.loads(host.run("cache", "status", url, "--json").stdout)["held_bytes"]
    return held


def free(host: Host, url: str) -> None:
    """The cache lets an object go, chunk by chunk, as when it needs room."""
    done = host.run("cache", "free", url)
    assert done.returncode == 0, done.stderr
    assert held_bytes(host, url) == 0


def drop_pages(descriptor: int) -> None:
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


class View:
    """A mapping of a file that keeps no descriptor of it, as those of Python do."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.mmap.restype = ctypes.c_void_p
        self._libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        self._libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._size = size
        self._address = self._libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
        assert self._address != ctypes.c_void_p(-1).value, os.strerror(ctypes.get_errno())

    def read(self) -> bytes:
        return ctypes.string_at(self._address, self._size)

    def close(self) -> None:
        self._libc.munmap(self._address, self._size)


def answers_of(mount: Mount) -> int:
    """How often the server of a mount has written: once for each request that it has answered."""
    lines = pathlib.Path(f"/proc/{process_of(mount.path, 'server')}/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["syscw"])


def is_passed_through(mount: Mount, descriptor: int) -> bool:
    """Whether reads of what is in no page of the mount are answered without its process."""
    drop_pages(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    size = os.fstat(descriptor).st_size
    before = answers_of(mount)
    for number in range(READS):
        os.pread(descriptor, 100, number * (size // READS))
    return answers_of(mount) - before < READS // 2


@contextlib.contextmanager
def stopped(mount: Mount) -> collections.abc.Iterator[None]:
    """The process of the mount answers nobody; but not for ever, should somebody wait for it all the same."""
    server = process_of(mount.path, "server")
    os.kill(server, signal.SIGSTOP)
    go_on = threading.Timer(WHILE_STOPPED_S, os.kill, [server, signal.SIGCONT])
    go_on.start()
    try:
        yield
        assert go_on.is_alive(), "a read waited for the process"
    finally:
        go_on.cancel()
        os.kill(server, signal.SIGCONT)


def test_a_resident_file_is_read_without_the_process(mount: Mount) -> None:
    wanted = patterned(LARGE, 1)
    draw = random.Random(3)
    direct = os.open(mount.path / "large", os.O_RDONLY | os.O_DIRECT)
    with open(mount.path / "large", "rb", buffering=0) as file, stopped(mount):
        drop_pages(file.fileno())
        for _ in range(300):
            offset, size = draw.randrange(LARGE + 100), draw.randrange(1, 200_000)
            assert os.pread(file.fileno(), size, offset) == wanted[offset : offset + size]
        assert os.pread(file.fileno(), 100_000, LARGE) == b""
        assert os.pread(file.fileno(), 100_000, LARGE - 10) == wanted[-10:]
        assert file.readall() == wanted
        with mmap.mmap(-1, MIB) as room:
            assert os.preadv(direct, [room], MIB) == MIB and room[:] == wanted[MIB : 2 * MIB]
        assert os.fstat(file.fileno()).st_size == LARGE
    os.close(direct)


def test_a_mapping_ends_where_the_file_does(host: Host, mount: Mount) -> None:
    bring(host, mount.path / "even")
    assert is_passed_through_again(mount, "even")
    for name, wanted in (("large", patterned(LARGE, 1)), ("even", patterned(EVEN, 2))):
        with open(mount.path / name, "rb", buffering=0) as file:
            assert is_passed_through(mount, file.fileno())
            with stopped(mount), mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as view:
                assert len(view) == len(wanted) and view[:] == wanted
            assert os.pread(file.fileno(), 4096, len(wanted) - 1) == wanted[-1:]
    with open(mount.path / "large", "rb") as large:
        view_of_pages = View(large.fileno(), LARGE + PAGE - LARGE % PAGE)
    assert view_of_pages.read() == patterned(LARGE, 1).ljust(LARGE + PAGE - LARGE % PAGE, b"\0")
    view_of_pages.close()


def test_all_opens_of_a_file_are_of_one_kind(host: Host, mount: Mount) -> None:
    """As the kernel demands. Which one is decided when nobody has it open."""
    wanted = patterned(EVEN, 2)
    with open(mount.path / "even", "rb", buffering=0) as first:
        assert first.read(100) == wanted[:100]
        bring(host, mount.path / "even")
        with open(mount.path / "even", "rb", buffering=0) as second:
            assert not is_passed_through(mount, second.fileno())
            assert second.readall() == wanted
        with mmap.mmap(first.fileno(), 0, prot=mmap.PROT_READ) as view:
            assert view[:] == wanted
    assert is_passed_through_again(mount, "even")
    with contextlib.ExitStack() as all_open:
        several = [all_open.enter_context(open(mount.path / "even", "rb", buffering=0)) for _ in range(20)]
        assert all(is_passed_through(mount, each.fileno()) for each in several)
        several[0].close()
        assert is_passed_through(mount, several[1].fileno()) and several[2].readall() == wanted


def test_nothing_of_an_open_file_is_evicted(host: Host, far: web_server.WebServer, mount: Mount) -> None:
    with open(mount.path / "large", "rb", buffering=0) as file:
        assert is_passed_through(mount, file.fileno())
        for _ in range(3):
            fill(mount)
        assert host.status()["evictions"] > 0
        assert held_bytes(host, far.url("large")) == LARGE
        drop_pages(file.fileno())
        assert file.readall() == patterned(LARGE, 1)
        assert is_passed_through(mount, file.fileno())


def test_a_mapping_outlives_its_file_and_its_place_in_the_cache(
    host: Host, far: web_server.WebServer, mount: Mount
) -> None:
    """Programs map a file and close it, of which only the kernel knows."""
    with open(mount.path / "large", "rb") as file:
        view = View(file.fileno(), LARGE)
    free(host, far.url("large"))
    assert view.read() == patterned(LARGE, 1)
    view.close()
    bring(host, mount.path / "large")
    assert is_passed_through_again(mount, "large")
    assert (mount.path / "large").read_bytes() == patterned(LARGE, 1)


@pytest.mark.parametrize("daemon_ends", [False, True])
def test_no_zeros_are_read_after_the_process_was_killed(
    host: Host, far: web_server.WebServer, mount: Mount, daemon_ends: bool
) -> None:
    """The kernel serves on what is open, and the cache knows nothing of that any more."""
    with open(mount.path / "large", "rb", buffering=0) as file:
        assert is_passed_through(mount, file.fileno())
        view = View(file.fileno(), LARGE)
        kill_all(mount.path)
        mount.close()
        if daemon_ends:
            host.end(signal.SIGKILL)
            host.start("--quota", f"{QUOTA_MIB}MiB")
        again = Mount(host, mount.path, far.url(), "--trust", "1h", "--read-only")
        try:
            free(host, far.url("large"))
            drop_pages(file.fileno())
            assert view.read() == patterned(LARGE, 1)
            with contextlib.suppress(OSError):  # as an error, the kernel may answer; as zeros, never
                assert file.readall() == patterned(LARGE, 1)
        finally:
            view.close()
            again.close()
