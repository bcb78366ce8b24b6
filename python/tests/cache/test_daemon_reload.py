"""`forebay daemon --reload`: the daemon begins anew in its place, with the settings and the program that are there then."""

from __future__ import annotations

import collections.abc
import json
import pathlib
import subprocess
import sys
from typing import Any

import daemon_host
import pytest
import web_server
from daemon_host import Host

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

FILES = 200
GIB = 1 << 30


def content(i: int) -> bytes:
    return bytes([i]) * 3000


@pytest.fixture
def server(tmp_path: pathlib.Path) -> collections.abc.Iterator[web_server.WebServer]:
    (tmp_path / "web").mkdir()
    (tmp_path / "data").mkdir()
    for i in range(FILES):
        (tmp_path / "data" / f"{i}").write_bytes(content(i))
    started = web_server.WebServer(tmp_path / "data", tmp_path / "web", "autoindex on; autoindex_format json;")
    yield started
    started.stop()


def counts(host: Host) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(host.run("cache", "status", "--json").stdout)
    return found


def reload(host: Host) -> None:
    result = host.run("daemon", "--reload")
    assert result.returncode == 0, result.stderr
    assert "reloaded" in result.stdout


def test_what_is_held_stays_and_settings_are_read_anew(host: Host, server: web_server.WebServer) -> None:
    host.home.mkdir()
    host.settings(quota="2GiB")
    host.start("--memory", "1MiB")
    assert host.run("cat", server.url("7"), text=False).stdout == content(7)
    before = counts(host)
    assert before["quota_bytes"] == 2 * GIB
    host.settings(quota="3GiB", memory="5MiB")
    reload(host)
    after = counts(host)
    assert after["quota_bytes"] == 3 * GIB
    assert after["daemon"]["pid"] == before["daemon"]["pid"], "who supervises it need not notice"
    assert host.daemon is not None and host.daemon.poll() is None
    assert host.run("cat", server.url("7"), text=False).stdout == content(7)
    assert counts(host)["upstream_reads"] == 0
    reload(host)  # again
    assert counts(host)["entries"] == 1
    assert host.end() == 0


def test_one_in_the_background_stays_there(host: Host, server: web_server.WebServer, tmp_path: pathlib.Path) -> None:
    assert daemon_host.PROGRAM is not None
    started = subprocess.run([daemon_host.PROGRAM, "daemon", "--background", "--least-free", "0", "--directory", "here"],
                             cwd=tmp_path, env=host.environment, check=False)
    assert started.returncode == 0
    try:
        host.run("cat", server.url("7"), text=False)
        reload(host)
        assert counts(host)["entries"] == 1
        assert (tmp_path / "here").is_dir(), "a folder beside where it was started"
        assert host.starts() == 2
        assert pathlib.Path(f"/proc/{counts(host)['daemon']['pid']}/cwd").readlink() == pathlib.Path("/")
    finally:
        assert "stopped" in host.run("daemon", "--stop").stdout


def test_settings_that_cannot_be_read_change_nothing(host: Host) -> None:
    host.start()
    before = counts(host)["daemon"]["pid"]
    host.settings(quota="much")
    refused = host.run("daemon", "--reload")
    assert refused.returncode == 1
    assert "'quota'" in refused.stderr and "daemon.json" in refused.stderr
    assert counts(host)["daemon"]["pid"] == before
    assert host.end() == 0


def test_where_none_serves_there_is_nothing_to_reload(host: Host) -> None:
    refused = host.run("daemon", "--reload")
    assert refused.returncode == 1
    assert "no cache is served here" in refused.stderr


READER = """
import pathlib, sys
import forebay.filesystem
import fsspec
files = fsspec.filesystem("forebay")
while not pathlib.Path(sys.argv[2]).exists():
    for i in range(int(sys.argv[3])):
        assert files.cat_file(sys.argv[1] + str(i)) == bytes([i]) * 3000, i
    print("all", flush=True)
"""


def test_a_job_that_reads_does_not_notice(host: Host, server: web_server.WebServer, tmp_path: pathlib.Path) -> None:
    host.start()
    stop = tmp_path / "stop"
    job = subprocess.Popen([sys.executable, "-P", "-c", READER, server.url(), str(stop), str(FILES)],
                           env=host.environment, stdout=subprocess.PIPE, text=True,
                           preexec_fn=web_server.end_with_starter)
    assert job.stdout is not None
    assert job.stdout.readline() == "all\n"
    for _ in range(3):
        reload(host)
        assert job.stdout.readline() == "all\n"
        assert job.stdout.readline() == "all\n"
    stop.touch()
    assert job.wait() == 0
    assert counts(host)["entries"] == FILES
    assert host.end() == 0
