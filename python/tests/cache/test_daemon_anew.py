"""Processes that connect to their host's daemon anew: forked children, and those whose daemon has gone or comes later."""

from __future__ import annotations

import collections.abc
import pathlib
import signal
import subprocess
import sys

import daemon_host
import pytest
import web_server
from daemon_host import Host

pytest.importorskip("fsspec")
pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

# As a loader that forks its workers: the parent has read, then each worker reads everything.
FORKING = """
import os, sys, fsspec, forebay.filesystem
workers, urls = int(sys.argv[1]), sys.argv[2:]
system = fsspec.filesystem("forebay")
expected = [len(system.cat_file(urls[0]))]
def read_all():
    status = 1
    try:
        for url in urls:
            assert system.cat_file(url)
        status = 0
    finally:
        os._exit(status)
children = []
for _ in range(workers):
    child = os.fork()
    if child == 0:
        read_all()
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * workers
"""

# Reads the URL of each line that it is given, and answers with its length.
ASKED = """
import sys, fsspec, forebay.filesystem
system = fsspec.filesystem("forebay")
for line in sys.stdin:
    print(len(system.cat_file(line.strip())), flush=True)
"""


def sizes_of(photos: pathlib.Path) -> dict[str, int]:
    return {str(path.relative_to(photos)): path.stat().st_size for path in sorted(photos.rglob("*.jpg"))}


def script(host: Host, text: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-P", "-c", text, *arguments], env=host.environment, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Reader:
    """A process that reads what it is asked for."""

    def __init__(self, host: Host) -> None:
        self.process = script(host, ASKED)

    def read(self, url: str) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(url + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def read_until_served(self, host: Host, url: str, size: int) -> None:
        while all(process["pid"] != self.process.pid for process in host.status()["processes"]):  # type: ignore
            assert self.read(url) == size


@pytest.fixture
def reader(host: Host) -> collections.abc.Iterator[Reader]:
    made = Reader(host)
    yield made
    _, errors = made.process.communicate()
    assert made.process.returncode == 0, errors


def test_forked_workers_share_one_read_of_each_byte(
    host: Host, server: web_server.WebServer, photos: pathlib.Path
) -> None:
    sizes = sizes_of(photos)
    host.start()
    parent = script(host, FORKING, "4", *(server.url(name) for name in sizes))
    _, errors = parent.communicate()
    assert parent.returncode == 0, errors
    assert host.status()["upstream_bytes"] == sum(sizes.values())


def test_a_daemon_that_was_killed_is_found_again(
    host: Host, server: web_server.WebServer, photos: pathlib.Path, reader: Reader
) -> None:
    name, size = next(iter(sizes_of(photos).items()))
    host.start()
    assert reader.read(server.url(name)) == size
    host.end(signal.SIGKILL)
    assert reader.read(server.url(name)) == size
    host.start()
    reader.read_until_served(host, server.url(name), size)


def test_a_daemon_that_comes_later_is_found(
    host: Host, server: web_server.WebServer, photos: pathlib.Path, reader: Reader
) -> None:
    name, size = next(iter(sizes_of(photos).items()))
    assert reader.read(server.url(name)) == size
    host.start()
    reader.read_until_served(host, server.url(name), size)


def test_one_cache_lies_on_several_disks(
    host: Host, server: web_server.WebServer, photos: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    folders = [tmp_path / "fast", tmp_path / "slow"]
    options = [word for folder in folders for word in ("--directory", str(folder))]
    urls = [server.url(name) for name in sizes_of(photos)]
    for expected in (sum(sizes_of(photos).values()), 0):
        host.start(*options, "--policy", "lru")
        assert host.run("cat", *urls, text=False).returncode == 0
        assert host.status()["upstream_bytes"] == expected
        assert host.end() == 0
    assert all((folder / "segments").is_dir() for folder in folders)
