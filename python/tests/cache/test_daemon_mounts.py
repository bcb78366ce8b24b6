"""What a mount says of its store, kept where the host's cache asks that store: limits, and that nothing changes."""

from __future__ import annotations

import collections.abc
import pathlib
import time

import daemon_host
import pytest
import web_server
from daemon_host import Host, result_of, results_of

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

LIMIT = 20  # requests a second; so many go at once at first


def mount(host: Host, path: str, uri: str, *arguments: str) -> None:
    mounted = host.run("mount", path, uri, *arguments)
    assert mounted.returncode == 0, mounted.stderr


@pytest.fixture
def timed(tmp_path: pathlib.Path, photos: pathlib.Path) -> collections.abc.Iterator[web_server.WebServer]:
    """The photographs by HTTP; when what was asked for is in web/requests."""
    (tmp_path / "web").mkdir()
    lines = f"autoindex on; autoindex_format json; access_log {tmp_path}/web/requests timed;"
    started = web_server.WebServer(photos, tmp_path / "web", lines)
    yield started
    started.stop()


def requests(folder: pathlib.Path) -> list[tuple[float, str]]:
    lines = [line.split() for line in (folder / "web" / "requests").read_text().splitlines()]
    return [(float(time), method) for time, method in lines]


def test_a_request_limit_holds_for_the_daemon(
    host: Host, timed: web_server.WebServer, photos: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    mount(host, "/photos", timed.url(), "--request-limit", str(LIMIT))
    host.start()
    readers = [host.read("/photos") for _ in range(2)]
    assert len({result_of(reader) for reader in readers}) == 1
    assert host.status()["upstream_reads"] == len(list(photos.rglob("*.jpg")))
    times = sorted(when for when, _ in requests(tmp_path))
    assert len(times) > LIMIT + 10
    assert times[-1] - times[0] >= (len(times) - LIMIT) / LIMIT - 0.5  # the first was under way for a while


def test_a_limit_of_bytes_holds_for_the_daemon(host: Host, timed: web_server.WebServer, photos: pathlib.Path) -> None:
    sizes = [file.stat().st_size for file in photos.rglob("*.jpg")]
    size = sum(sizes)
    limit = size // 3  # so many go at once at first
    mount(host, "/photos", timed.url(), "--rate-limit", str(limit))
    host.start()
    begun = time.monotonic()
    result_of(host.read("/photos"))
    assert time.monotonic() - begun >= (size - limit - max(sizes)) / limit  # the last one comes at once
    assert host.status()["upstream_bytes"] == size


def test_a_limit_is_the_hosts_whoever_asks(
    host: Host, timed: web_server.WebServer, photos: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Each set of variables, as each new token, makes a store of its own."""
    mount(host, "/photos", timed.url(), "--request-limit", str(LIMIT))
    host.environment["FOREBAY_DAEMON"] = "off"
    readers = []
    for name in ("one.invalid", "another.invalid"):
        host.environment["no_proxy"] = f"{web_server.HOST},{name}"
        readers.append(host.read("/photos"))
    assert len(set(results_of(*readers))) == 1
    times = sorted(when for when, _ in requests(tmp_path))
    assert len(times) > 2 * len(list(photos.rglob("*.jpg")))
    assert times[-1] - times[0] >= (len(times) - LIMIT) / LIMIT - 0.5  # the first was under way for a while


def test_a_request_limit_holds_for_cached_files(host: Host, photos: pathlib.Path) -> None:
    files = len(list(photos.rglob("*.jpg")))
    mount(host, "/photos", f"file://{photos}", "--option", "cache=on", "--request-limit", str(LIMIT))
    host.start()
    begun = time.monotonic()
    result_of(host.read("/photos"))
    assert time.monotonic() - begun >= (files - LIMIT) / LIMIT
    assert host.status()["upstream_reads"] == files


def test_what_never_changes_is_not_looked_at_again(
    host: Host, timed: web_server.WebServer, photos: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    name = next(photos.rglob("*.jpg")).relative_to(photos)
    mount(host, "/fixed", timed.url(), "--immutable")
    host.start()
    for _ in range(2):
        assert host.run("cat", f"/fixed/{name}", text=False).stdout == (photos / name).read_bytes()
        time.sleep(1.2)  # an answer is trusted for a second elsewhere
    assert [method for _, method in requests(tmp_path)] == ["HEAD", "GET"]
