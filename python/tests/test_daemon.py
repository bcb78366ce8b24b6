"""The host's cache: one daemon for all processes, which read upstream themselves when there is none."""

from __future__ import annotations

import collections.abc
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig

import pytest
import web_server

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python"),
]

# Prints the hash of what two epochs of a shuffled pipeline give.
READER = """
import hashlib, sys
from far_data import batches_of, from_files
url = sys.argv[1]
pipeline = from_files(files=[url] * 5) if "?" in url else from_files(url)
print(hashlib.sha256(b"".join(array.tobytes() for batch in batches_of(pipeline) for array in batch)).hexdigest())
"""


class Host:
    """A host of its own: processes with the same FOREBAY_HOME."""

    def __init__(self, folder: pathlib.Path) -> None:
        tests = str(pathlib.Path(__file__).parent)
        paths = [path for path in (tests, os.environ.get("PYTHONPATH")) if path]
        self.environment = {
            **os.environ,
            "FOREBAY_HOME": str(folder),
            "PYTHONPATH": os.pathsep.join(paths),
            "no_proxy": web_server.HOST,
        }
        self.daemon: subprocess.Popen[str] | None = None

    def start(self, *arguments: str) -> None:
        assert PROGRAM is not None
        self.daemon = subprocess.Popen([PROGRAM, "daemon", "--least-free", "0", *arguments], env=self.environment,
                                       stdout=subprocess.PIPE, text=True, preexec_fn=web_server.end_with_starter)
        assert self.daemon.stdout is not None
        assert "serving at" in self.daemon.stdout.readline()

    def end(self, how: int = signal.SIGTERM) -> int:
        assert self.daemon is not None
        self.daemon.send_signal(how)
        return self.daemon.wait()

    def read(self, url: str) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-P", "-c", READER, url], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        assert PROGRAM is not None
        return subprocess.run([PROGRAM, *arguments], env=self.environment, capture_output=True, text=True, check=False)

    def status(self) -> dict[str, int]:
        counts: dict[str, int] = json.loads(self.run("cache", "status", "--json").stdout)
        return counts


@pytest.fixture
def host(tmp_path: pathlib.Path) -> collections.abc.Iterator[Host]:
    made = Host(tmp_path / "home")
    yield made
    if made.daemon is not None and made.daemon.poll() is None:
        made.end(signal.SIGKILL)


@pytest.fixture
def server(tmp_path: pathlib.Path, photos: pathlib.Path) -> collections.abc.Iterator[web_server.WebServer]:
    (tmp_path / "web").mkdir()
    started = web_server.WebServer(photos, tmp_path / "web", "autoindex on; autoindex_format json;")
    yield started
    started.stop()


def result_of(reader: subprocess.Popen[str]) -> str:
    output, errors = reader.communicate()
    assert reader.returncode == 0, errors
    return output


def test_processes_share_one_read_of_each_byte(
    host: Host, server: web_server.WebServer, photos: pathlib.Path
) -> None:
    size = sum(path.stat().st_size for path in photos.rglob("*.jpg"))
    alone = result_of(host.read(server.url()))
    host.start()
    readers = [host.read(server.url()) for _ in range(3)]
    assert {result_of(reader) for reader in readers} == {alone}
    assert host.status()["upstream_bytes"] == size
    assert "bytes read upstream" in host.run("cache", "status").stdout


def test_what_was_read_is_there_after_a_restart(host: Host, server: web_server.WebServer) -> None:
    host.start()
    first = result_of(host.read(server.url()))
    assert host.end() == 0
    host.start()
    assert result_of(host.read(server.url())) == first
    assert host.status()["upstream_bytes"] == 0


def test_a_killed_daemon_costs_the_cache_and_nothing_else(host: Host, server: web_server.WebServer) -> None:
    host.start()
    first = result_of(host.read(server.url()))
    host.end(signal.SIGKILL)
    assert result_of(host.read(server.url())) == first  # without it
    host.start()
    assert result_of(host.read(server.url())) == first


def test_one_daemon_serves_a_host(host: Host) -> None:
    assert "no cache is served here" in host.run("cache", "status").stderr
    host.start()
    second = host.run("daemon")
    assert second.returncode == 1
    assert "serves at" in second.stderr


def test_processes_with_other_credentials_go_without(host: Host, server: web_server.WebServer) -> None:
    host.start()
    host.environment["AWS_PROFILE"] = "another"
    reader = host.read(server.url())
    _, errors = reader.communicate()
    assert reader.returncode == 0, errors
    assert "the host's cache is not used" in errors
    del host.environment["AWS_PROFILE"]
    assert host.status()["upstream_bytes"] == 0


def test_a_query_that_the_daemon_would_not_see_stays_here(
    host: Host, server: web_server.WebServer, photos: pathlib.Path
) -> None:
    name = next(photos.rglob("*.jpg")).relative_to(photos)
    host.start()
    result_of(host.read(server.url(f"{name}?token=secret")))
    assert host.status()["upstream_reads"] == 0
