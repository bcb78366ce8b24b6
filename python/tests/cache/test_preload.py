"""`forebay preload`: what it brings is read from the cache, and it goes on where it ended, however it ended."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
from typing import Any

import daemon_host
import pytest
import web_server
from daemon_host import Host, result_of

pytestmark = pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python")

FILES = 700
BYTES = 20_000


@pytest.fixture
def host(host: Host) -> Host:
    host.start()
    return host


@pytest.fixture
def slow(host: Host, tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder that is mounted at /slow as one of a slow file system."""
    folder = tmp_path / "files of a network"
    for number in range(FILES):
        path = folder / f"{number // 100}" / f"{number:05}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(BYTES))
    mounted = host.run("mount", "/slow", str(folder), "--option", "cache=on")
    assert mounted.returncode == 0, mounted.stderr
    return folder


def preload(host: Host, *arguments: str) -> dict[str, Any]:
    done = host.run("preload", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def begin(host: Host, *arguments: str) -> subprocess.Popen[str]:
    assert daemon_host.PROGRAM is not None
    return subprocess.Popen([daemon_host.PROGRAM, "preload", *arguments], env=host.environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=web_server.end_with_starter)


def wait_until_running(host: Host, path: str, process: subprocess.Popen[str]) -> None:
    while True:
        assert process.poll() is None
        status = host.run("preload", path, "--status", "--json")
        if status.returncode == 0 and json.loads(status.stdout)["state"] == "running":
            return


def test_files_of_a_slow_folder_are_read_from_the_cache(host: Host, slow: pathlib.Path) -> None:
    facts = preload(host, "/slow", "--verify")
    assert facts["state"] == "done"
    assert facts["objects"] == facts["fetched_objects"] == FILES
    assert facts["bytes"] == FILES * BYTES
    assert facts["failed"] == 0
    read = host.status()["upstream_bytes"]
    for name in ("0/00000", "3/00333", "6/00699"):
        assert host.run("cat", f"/slow/{name}", text=False).stdout == (slow / name).read_bytes()
    assert host.status()["upstream_bytes"] == read == FILES * BYTES
    again = preload(host, "/slow")
    assert again["objects"] == FILES
    assert again["fetched_objects"] == 0


def test_what_changed_is_fetched_again(host: Host, slow: pathlib.Path) -> None:
    preload(host, "/slow")
    (slow / "0/00000").write_bytes(b"another")
    host.end()  # the next one trusts no listing of this one
    host.start()
    assert preload(host, "/slow")["fetched_objects"] == 1
    assert host.run("cat", "/slow/0/00000").stdout == "another"


def test_it_pushes_nothing_out_of_a_folder_with_a_quota(host: Host, slow: pathlib.Path) -> None:
    assert host.run("cache", "rule", "/slow", "--quota", str(FILES * BYTES // 2)).returncode == 0
    refused = host.run("preload", "/slow", "--json")
    assert refused.returncode == 1
    assert f"may keep {FILES * BYTES // 2} bytes" in refused.stderr
    status = host.status()
    assert status["entries"] > 0
    assert status["evictions"] == 0
    assert host.run("cache", "rule", "/slow", "--quota", "0").returncode == 0
    assert preload(host, "/slow")["objects"] == FILES


def test_local_files_need_none(host: Host, tmp_path: pathlib.Path) -> None:
    refused = host.run("preload", str(tmp_path))
    assert refused.returncode == 1
    assert "--option cache=on" in refused.stderr
    host.run("mount", "/x", str(tmp_path), "--option", "cache=perhaps")
    assert "neither true nor false" in host.run("ls", "/x").stderr


def test_one_that_is_stopped_goes_on_later(host: Host, slow: pathlib.Path) -> None:
    under_way = begin(host, "/slow", "--rate-limit", "1")  # the first batches go at once, the next in days
    wait_until_running(host, "/slow", under_way)
    second = host.run("preload", "/slow")
    assert second.returncode == 1
    assert f"by process {under_way.pid}" in second.stderr
    assert host.run("preload", "/slow", "--stop").returncode == 0
    assert under_way.wait() == 1
    stopped = preload(host, "/slow", "--status")
    assert stopped["state"] == "stopped"
    assert stopped["objects"] < FILES
    assert "no preload is under way" in host.run("preload", "/slow", "--stop").stderr
    facts = preload(host, "/slow")
    assert facts["objects"] == facts["fetched_objects"] == FILES
    assert preload(host, "/slow", "--status")["state"] == "done"


def test_one_that_is_killed_goes_on_later(host: Host, slow: pathlib.Path) -> None:
    under_way = begin(host, "/slow", "--rate-limit", "1")
    wait_until_running(host, "/slow", under_way)
    under_way.kill()
    under_way.wait()
    assert preload(host, "/slow", "--status")["state"] == "stopped"
    assert preload(host, "/slow")["objects"] == FILES


def test_it_goes_on_with_the_next_daemon(host: Host, slow: pathlib.Path) -> None:
    host.environment["FOREBAY_DAEMON"] = "running"
    under_way = begin(host, "/slow", "--rate-limit", "3MB")  # it would take four seconds
    while under_way.poll() is None and not (host.home / "preloads").is_dir():
        pass
    assert host.run("daemon", "--reload").returncode == 0
    host.end(signal.SIGKILL)
    host.start()
    assert under_way.wait() == 0, result_of(under_way)
    facts = preload(host, "/slow", "--status")
    assert facts["state"] == "done"
    assert facts["failed"] == 0
    assert facts["objects"] == FILES
    assert host.status()["entries"] == FILES


def test_without_a_daemon_it_stops_and_goes_on_later(host: Host, slow: pathlib.Path) -> None:
    host.environment |= {"FOREBAY_RETRY_FOR": "0", "FOREBAY_DAEMON": "running"}
    under_way = begin(host, "/slow", "--rate-limit", "1")
    wait_until_running(host, "/slow", under_way)
    host.end(signal.SIGKILL)
    assert under_way.wait() == 1
    refused = host.run("preload", "/slow")
    assert refused.returncode == 1
    assert "FOREBAY_DAEMON" in refused.stderr
    host.start()
    assert preload(host, "/slow")["state"] == "done"


def test_more_than_the_cache_holds_is_an_error(tmp_path: pathlib.Path, slow: pathlib.Path, host: Host) -> None:
    host.end()
    host.start("--quota", "8MiB")
    refused = host.run("preload", "/slow")
    assert refused.returncode == 1
    assert "push out" in refused.stderr


@pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed")
def test_a_training_job_finds_what_was_preloaded_in_its_order(
    host: Host, tmp_path: pathlib.Path, photos: pathlib.Path
) -> None:
    (tmp_path / "web").mkdir()
    server = web_server.WebServer(photos, tmp_path / "web", "autoindex on; autoindex_format json;")
    try:
        alone = result_of(host.read(server.url()))
        host.end()
        host.start("--directory", str(tmp_path / "another"))
        count = len(list(photos.rglob("*.jpg")))
        facts = preload(host, server.url(), "--seed", "7", "--epoch", "0")
        assert facts["objects"] == facts["fetched_objects"] == count
        assert facts["order"] == "seed 7 epoch 0 shards 1"
        read = host.status()["upstream_bytes"]
        assert result_of(host.read(server.url())) == alone
        assert host.status()["upstream_bytes"] == read
    finally:
        server.stop()


def test_an_epoch_needs_a_seed(host: Host) -> None:
    refused = host.run("preload", "/slow", "--epoch", "1")
    assert refused.returncode != 0
    assert "--seed" in refused.stderr


def test_what_was_never_preloaded_has_no_status(host: Host, slow: pathlib.Path) -> None:
    status = host.run("preload", "/slow", "--status")
    assert status.returncode == 1
    assert "never preloaded" in status.stderr
