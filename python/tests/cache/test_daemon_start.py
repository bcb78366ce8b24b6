"""The host's daemon starts with the first process that wants it, and ends when nobody has wanted it for a while."""

from __future__ import annotations

import collections.abc
import json
import pathlib
import subprocess

import daemon_host
import pytest
import web_server
from daemon_host import Host, result_of

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]


@pytest.fixture
def host(tmp_path: pathlib.Path) -> collections.abc.Iterator[Host]:
    """Its daemon starts on demand. If this process is killed, the daemon ends soon after."""
    made = Host(tmp_path / "home")
    made.environment["FOREBAY_DAEMON"] = "on"
    made.home.mkdir()
    made.settings(idle="60s", **{"least-free": 0})
    yield made
    made.run("daemon", "--stop")


def a_photo(photos: pathlib.Path) -> pathlib.Path:
    return next(photos.rglob("*.jpg"))


def test_the_first_pipeline_starts_it(host: Host, server: web_server.WebServer, photos: pathlib.Path) -> None:
    first = result_of(host.read(server.url()))
    assert host.status()["upstream_bytes"] == sum(path.stat().st_size for path in photos.rglob("*.jpg"))
    assert result_of(host.read(server.url())) == first
    assert host.starts() == 1
    assert "stopped" in host.run("daemon", "--stop").stdout
    assert "none serves" in host.run("daemon", "--stop").stdout


def test_of_eight_processes_one_starts_it(host: Host, server: web_server.WebServer, photos: pathlib.Path) -> None:
    photo = a_photo(photos)
    url = server.url(str(photo.relative_to(photos)))
    assert daemon_host.PROGRAM is not None
    readers = [subprocess.Popen([daemon_host.PROGRAM, "cat", url], env=host.environment, stdout=subprocess.PIPE)
               for _ in range(8)]
    assert [reader.communicate()[0] for reader in readers] == [photo.read_bytes()] * 8
    assert host.starts() == 1
    assert host.status()["upstream_bytes"] == photo.stat().st_size


def test_who_starts_it_says_so_once(host: Host, server: web_server.WebServer, photos: pathlib.Path) -> None:
    host.settings(idle="60s", quota="3GiB", **{"least-free": 0})
    url = server.url(str(a_photo(photos).relative_to(photos)))
    first, second = (host.run("cat", url, url, text=False).stderr.decode() for _ in range(2))
    assert first.count("\n") == 1 and first.startswith("forebay: the cache's daemon was started, process ")
    assert f"in {host.home}/cache" in first and "at most 3 GiB" in first
    assert second == ""
    host.run("daemon", "--stop")
    host.environment["FOREBAY_LOG"] = "error"
    assert host.run("cat", url, text=False).stderr == b""


@pytest.mark.parametrize("setting", ["off", "running"])
def test_it_can_be_forbidden(host: Host, server: web_server.WebServer, photos: pathlib.Path, setting: str) -> None:
    photo = a_photo(photos)
    host.environment["FOREBAY_DAEMON"] = setting
    result = host.run("cat", server.url(str(photo.relative_to(photos))), text=False)
    assert (result.stdout, result.stderr) == (photo.read_bytes(), b"")
    assert not (host.home / "daemon.log").exists()


def test_two_homes_are_two_hosts(host: Host, server: web_server.WebServer, photos: pathlib.Path,
                                 tmp_path: pathlib.Path) -> None:
    photo = a_photo(photos)
    url = server.url(str(photo.relative_to(photos)))
    other = Host(tmp_path / "other")
    other.home.mkdir()
    other.settings(idle="60s", **{"least-free": 0})
    other.environment["FOREBAY_DAEMON"] = "on"
    try:
        for each in (host, other):
            assert each.run("cat", url, text=False).stdout == photo.read_bytes()
            assert each.status()["upstream_bytes"] == photo.stat().st_size
    finally:
        other.run("daemon", "--stop")


def test_what_cannot_start_costs_the_cache_and_nothing_else(
    host: Host, server: web_server.WebServer, photos: pathlib.Path
) -> None:
    photo = a_photo(photos)
    host.settings(quota="much")
    result = host.run("cat", server.url(str(photo.relative_to(photos))), text=False)
    assert result.returncode == 0
    assert result.stdout == photo.read_bytes()
    assert b"daemon.log says why" in result.stderr
    assert "daemon.json" in (host.home / "daemon.log").read_text()


def test_it_ends_when_nobody_has_wanted_it_for_a_while(host: Host) -> None:
    """Started by hand, so that its end can be waited for."""
    host.settings(idle="1s")
    host.start()
    assert host.daemon is not None
    assert host.daemon.wait() == 0
    assert "no cache is served here" in host.run("cache", "status").stderr


def test_a_command_line_goes_before_the_file(host: Host) -> None:
    host.settings(idle="1s", quota="1MiB")
    result = host.run("daemon", "--background", "--idle", "60s")
    assert result.returncode == 0, result.stderr
    assert "its log is" in result.stdout
    assert json.loads(host.run("cache", "status", "--json").stdout)["entries"] == 0
