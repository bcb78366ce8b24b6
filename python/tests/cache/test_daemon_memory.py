"""What the daemon's memory may be while 64 readers ask for more than fits into it."""

from __future__ import annotations

import collections.abc
import contextlib
import os
import pathlib
import subprocess
import sys

import daemon_host
import pytest
import web_server
from daemon_host import Host

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

MIB = 1 << 20
PROCESSES = 8
THREADS = 8

# Reads ranges at random places of objects at random, on several threads. Fails if one has another length.
READER = """
import random, sys, threading, fsspec, forebay.filesystem
url, objects, object_bytes, seed, threads, reads, length = sys.argv[1], *map(int, sys.argv[2:])
system = fsspec.filesystem("forebay")
failures = []
def read_some(seed):
    places = random.Random(seed)
    try:
        for _ in range(reads):
            with system.open(f"{url}{places.randrange(objects)}", "rb", cache_type="none") as file:
                offset = places.randrange(object_bytes - length)
                file.seek(offset)
                assert len(file.read(length)) == length
    except BaseException as error:
        failures.append(error)
workers = [threading.Thread(target=read_some, args=(seed * threads + i,)) for i in range(threads)]
[worker.start() for worker in workers]
[worker.join() for worker in workers]
if failures:
    raise failures[0]
"""


@contextlib.contextmanager
def objects(folder: pathlib.Path, count: int, size: int) -> collections.abc.Iterator[web_server.WebServer]:
    """Zeros without an end, which take no room."""
    (folder / "data").mkdir()
    (folder / "web").mkdir()
    for number in range(count):
        with (folder / "data" / str(number)).open("wb") as file:
            file.truncate(size)
    server = web_server.WebServer(folder / "data", folder / "web")
    try:
        yield server
    finally:
        server.stop()


def start_readers(host: Host, *arguments: str) -> list[subprocess.Popen[str]]:
    words = [sys.executable, "-P", "-c", READER]
    url, count, size, reads, length = arguments
    return [
        subprocess.Popen([*words, url, count, size, str(seed), str(THREADS), reads, length], env=host.environment,
                         stderr=subprocess.PIPE, text=True, preexec_fn=web_server.end_with_starter)
        for seed in range(PROCESSES)
    ]


def expect_success(readers: list[subprocess.Popen[str]]) -> None:
    for reader in readers:
        _, errors = reader.communicate()
        assert reader.returncode == 0, errors


def shared_bytes(process: int) -> int:
    """Of shared memory that has no name; what is not mapped counts, too."""
    total = 0
    for number in os.listdir(f"/proc/{process}/fd"):
        path = f"/proc/{process}/fd/{number}"
        with contextlib.suppress(OSError):
            if os.readlink(path).startswith("/memfd:"):
                total += os.stat(path).st_blocks * 512
    return total


def anonymous_bytes(process: int) -> int:
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the kernel does not say")


def test_memory_stays_within_its_budget(host: Host, tmp_path: pathlib.Path) -> None:
    budget = 48 * MIB
    with objects(tmp_path, 64, 4 * MIB) as server:
        host.start("--memory", "16MiB", "--shared-memory", "32MiB", "--quota", "128MiB")
        assert host.daemon is not None
        readers = start_readers(host, server.url(), "64", str(4 * MIB), "15", str(700_000))
        most = 0
        while any(reader.poll() is None for reader in readers):
            most = max(most, anonymous_bytes(host.daemon.pid) + shared_bytes(host.daemon.pid))
        expect_success(readers)
        assert host.status()["upstream_bytes"] > 3 * budget
        assert most <= budget + 64 * MIB


def make_group(limit_bytes: int) -> pathlib.Path | None:
    """A control group whose memory is limited, page cache included, if one can be made here."""
    for hierarchy, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(hierarchy) / f"forebay-test-{os.getpid()}"
        with contextlib.suppress(OSError):
            group.mkdir()
            if (group / limit).exists():
                (group / limit).write_text(str(limit_bytes))
                return group
            group.rmdir()
    return None


@pytest.fixture
def small_group() -> collections.abc.Iterator[pathlib.Path]:
    group = make_group(512 * MIB)
    if group is None:
        pytest.skip("no control group with a limit on memory can be made here")
    yield group
    group.rmdir()


def test_a_small_control_group_is_enough(small_group: pathlib.Path, host: Host, tmp_path: pathlib.Path) -> None:
    """Nothing is said of memory: the daemon finds out what it may take."""
    with objects(tmp_path, 10, 1000 * MIB) as server:
        host.start("--quota", "3GiB", group=small_group)
        assert host.daemon is not None
        expect_success(start_readers(host, server.url(), "10", str(1000 * MIB), "16", str(1_000_000)))
        assert host.daemon.poll() is None
        assert host.status()["upstream_bytes"] > 700 * MIB
        host.end()
