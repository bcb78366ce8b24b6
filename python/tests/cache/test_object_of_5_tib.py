"""An object of 5 TiB through the host's cache: a read costs its chunks, wherever they lie, and a restart keeps them."""

from __future__ import annotations

import collections.abc
import contextlib
import http.server
import pathlib
import re
import subprocess
import sys
import threading
from typing import Any

import daemon_host
import numpy as np
import pytest
from daemon_host import Host

pytestmark = pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python")

SIZE = 5 << 40
CHUNK = 1 << 20
BUDGET = 64 << 20
# Its beginning, the border of two chunks in the middle, its end: three chunks. Shorter reads are kept as they are.
TAIL = 3001
PLACES = [(0, CHUNK), (SIZE // 2 - CHUNK // 2, CHUNK + 2), (SIZE // 3, 4096), (SIZE - TAIL, TAIL)]
COST = 3 * CHUNK + 4096 + TAIL


def made(offset: int, length: int) -> bytes:
    """Bytes of the object, which tell their place: each eight are their number."""
    first, end = offset // 8, -(-(offset + length) // 8)
    return np.arange(first, end, dtype="<u8").tobytes()[offset % 8 :][:length]


class MakingServer(http.server.ThreadingHTTPServer):
    """Makes the bytes that are asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.sent_bytes = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_port}/huge"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: MakingServer

    def do_HEAD(self) -> None:
        self.begin(200, SIZE)

    def do_GET(self) -> None:
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"] or "")
        assert found is not None  # nobody may ask for all of it
        first, last = int(found[1]), min(int(found[2]), SIZE - 1)
        with self.server.lock:
            self.server.sent_bytes += last + 1 - first
        self.begin(206, last + 1 - first, {"Content-Range": f"bytes {first}-{last}/{SIZE}"})
        with contextlib.suppress(OSError):
            self.wfile.write(made(first, last + 1 - first))

    def begin(self, status: int, length: int, headers: dict[str, str] | None = None) -> None:
        self.send_response_only(status)
        for name, value in {"Content-Length": str(length), "ETag": '"one"', "Accept-Ranges": "bytes",
                            **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> collections.abc.Iterator[MakingServer]:
    with MakingServer() as started:
        thread = threading.Thread(target=started.serve_forever)
        thread.start()
        try:
            yield started
        finally:
            started.shutdown()
            thread.join()


@pytest.fixture
def host(host: Host, tmp_path: pathlib.Path) -> Host:
    sparse = tmp_path / "sparse"
    try:
        with open(sparse, "wb") as file:
            file.truncate(SIZE + (256 << 20))
    except OSError as error:
        pytest.skip(f"this file system has no files of 5 TiB: {error}")
    sparse.unlink()
    host.start("--quota", "256MiB", "--memory", "32MiB", "--shared-memory", "32MiB")
    return host


def read(host: Host, url: str, offset: int, length: int) -> bytes:
    done = host.run("cat", url, "--offset", str(offset), "--length", str(length), text=False)
    assert done.returncode == 0, done.stderr
    content: bytes = done.stdout
    return content


def assert_right_bytes(host: Host, url: str) -> None:
    for offset, length in PLACES:
        assert read(host, url, offset, length) == made(offset, length)


def own_memory(host: Host) -> int:
    """What the daemon has of its own: not the pages of files that it maps."""
    assert host.daemon is not None
    status = pathlib.Path(f"/proc/{host.daemon.pid}/status").read_text()
    return sum(int(kilobytes) << 10 for kilobytes in re.findall(r"Rss(?:Anon|Shmem):\s+(\d+) kB", status))


def disk_bytes(host: Host) -> int:
    """What its files take on disk, whatever their lengths are."""
    return sum(path.stat().st_blocks * 512 for path in host.home.rglob("*") if path.is_file())


def test_reads_cost_their_chunks_and_no_more(host: Host, server: MakingServer) -> None:
    before = disk_bytes(host)
    for _ in range(2):
        assert_right_bytes(host, server.url)
        assert host.status()["upstream_bytes"] == server.sent_bytes == COST
    assert read(host, server.url, CHUNK - 10, 10) == made(CHUNK - 10, 10)
    assert server.sent_bytes == COST  # of the chunk that is there
    assert read(host, server.url, CHUNK, CHUNK) == made(CHUNK, CHUNK)
    assert server.sent_bytes == COST + CHUNK  # of the next, which is not
    assert own_memory(host) < BUDGET + (64 << 20)
    assert host.end() == 0
    assert disk_bytes(host) - before < COST + 4 * CHUNK


def test_a_restart_keeps_what_is_there_and_knows_what_is_not(host: Host, server: MakingServer) -> None:
    assert_right_bytes(host, server.url)
    assert host.end() == 0
    host.start("--quota", "256MiB", "--memory", "32MiB", "--shared-memory", "32MiB")
    assert_right_bytes(host, server.url)
    assert host.status()["upstream_bytes"] == 0
    for neighbour in (2 * CHUNK, SIZE // 2 + CHUNK, SIZE - 2 * CHUNK):
        read_before = server.sent_bytes
        assert read(host, server.url, neighbour, CHUNK) == made(neighbour, CHUNK)
        assert server.sent_bytes - read_before == CHUNK
    assert own_memory(host) < BUDGET + (64 << 20)


def test_its_space_comes_back(host: Host, server: MakingServer) -> None:
    assert_right_bytes(host, server.url)
    verified = host.run("cache", "verify", server.url)
    assert verified.returncode == 0, verified.stderr
    freed = host.run("cache", "free", server.url)
    assert freed.returncode == 0, freed.stderr
    assert host.status()["disk_bytes"] < CHUNK
    assert_right_bytes(host, server.url)
    assert server.sent_bytes == 2 * COST


READERS = 8
# Many readers at once, each at places of its own that others have a part of, too.
READER = f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
""" + """
import forebay.filesystem, fsspec
from test_object_of_5_tib import CHUNK, SIZE, made
url, number = sys.argv[1], int(sys.argv[2])
files = fsspec.filesystem("forebay")
assert files.size(url) == SIZE
places = [((number + step) * (SIZE // 32) + 123, CHUNK) for step in range(8)]
ranges = files.cat_ranges([url] * 8, [offset for offset, _ in places], [offset + length for offset, length in places])
assert ranges == [made(offset, length) for offset, length in places]
with files.open(url) as file:
    file.seek(SIZE - 10)
    assert file.read() == made(SIZE - 10, 10)
    assert file.read() == b""
"""


def test_many_readers_share_its_chunks(host: Host, server: MakingServer) -> None:
    readers = [subprocess.Popen([sys.executable, "-P", "-c", READER, server.url, str(number)], env=host.environment,
                                stderr=subprocess.PIPE, text=True) for number in range(READERS)]
    for reader in readers:
        _, errors = reader.communicate()
        assert reader.returncode == 0, errors
    places = READERS + 8 - 1  # two chunks each, and the ten bytes at the end
    assert host.status()["upstream_bytes"] == server.sent_bytes == 2 * places * CHUNK + 10
    assert own_memory(host) < BUDGET + (64 << 20)
