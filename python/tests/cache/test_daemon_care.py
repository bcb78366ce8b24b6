"""Commands that look after the host's cache: verify and free, pins and rules, top."""

from __future__ import annotations

import collections.abc
import fcntl
import json
import os
import pathlib
import pty
import signal
import socket
import struct
import subprocess
import termios
from typing import Any

import daemon_host
import pytest
import web_server
from daemon_host import Host

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

SIZES = {"train/1": 30_000, "train/2": 40_000, "training/1": 50_000, "large": 2_500_000}


@pytest.fixture
def server(tmp_path: pathlib.Path) -> collections.abc.Iterator[web_server.WebServer]:
    (tmp_path / "web").mkdir()
    for name, size in SIZES.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(i * 7 % 251 for i in range(size)))
    started = web_server.WebServer(tmp_path / "data", tmp_path / "web", "autoindex on; autoindex_format json;")
    yield started
    started.stop()


def read_all(host: Host, server: web_server.WebServer) -> None:
    for name, size in SIZES.items():
        result = host.run("cat", server.url(name), text=False)
        assert len(result.stdout) == size, result.stderr


def care(host: Host, *arguments: str) -> dict[str, Any]:
    result = host.run("cache", *arguments, "--json")
    assert result.returncode == 0, result.stderr
    counts: dict[str, Any] = json.loads(result.stdout)
    return counts


def test_verify_checks_all_or_a_part(host: Host, server: web_server.WebServer) -> None:
    host.start()
    read_all(host, server)
    everything = care(host, "verify")
    assert everything["checked_bytes"] == sum(SIZES.values())
    assert everything["damaged"] == everything["unreadable"] == 0
    assert care(host, "verify", server.url("train"))["checked"] == 2
    assert care(host, "verify", server.url("none"))["checked"] == 0
    assert "entries, 2.5 MiB checked" in host.run("cache", "verify").stdout


def test_status_of_a_path_says_how_much_is_held(host: Host, server: web_server.WebServer) -> None:
    host.start()
    host.run("cat", server.url("train/1"), text=False)
    train = SIZES["train/1"] + SIZES["train/2"]
    held = care(host, "status", server.url("train/"))
    assert held == {"objects": 2, "bytes": train, "held_entries": 1, "held_bytes": SIZES["train/1"],
                    "pinned_entries": 0, "unreadable": 0, "uncached_mounts": 0}
    assert care(host, "status", server.url("train/2"))["held_bytes"] == 0
    assert host.run("cache", "pin", server.url("train/")).returncode == 0
    read_all(host, server)
    assert care(host, "status", server.url("train/"))["pinned_entries"] == 2
    text = host.run("cache", "status", server.url("train/")).stdout
    assert "68.4 KiB of 68.4 KiB held (100.0 %); 2 objects there, 2 entries held, 2 of them pinned" in text
    missing = host.run("cache", "status", server.url("none/"))
    assert missing.returncode != 0 and "none" in missing.stderr
    local = host.run("cache", "status", str(host.home))
    assert local.returncode != 0 and "the host's cache holds remote data" in local.stderr


def test_verify_drops_what_is_damaged(host: Host, server: web_server.WebServer) -> None:
    host.start()
    read_all(host, server)
    assert care(host, "verify")["damaged"] == 0
    large, _ = sorted((host.home / "cache" / "objects").iterdir())  # the content, and its records
    with large.open("r+b") as file:
        file.seek(1_500_000)
        file.write(b"damage")
    result = host.run("cache", "verify", server.url("large"))
    assert "1 entry, 1.0 MiB damaged and dropped" in result.stdout
    before = host.status()["upstream_bytes"]
    read_all(host, server)
    assert host.status()["upstream_bytes"] - before == 1 << 20


def test_status_of_mounts_counts_each_object_once(
    host: Host, server: web_server.WebServer, tmp_path: pathlib.Path
) -> None:
    host.start()
    (tmp_path / "near").mkdir()
    (tmp_path / "near" / "file").write_bytes(b"x" * 500)
    (tmp_path / "data" / "empty").mkdir()
    for path, uri in (("/data", server.url("train")), ("/data/again", server.url("train/1")),
                      ("/data/more", server.url("training")), ("/data/near", str(tmp_path / "near")),
                      ("/none", server.url("empty"))):
        assert host.run("mount", path, uri).returncode == 0
    read_all(host, server)
    far = [SIZES["train/1"], SIZES["train/2"], SIZES["training/1"]]
    held = care(host, "status", "/data")
    assert held == {"objects": 3, "bytes": sum(far), "held_entries": 3, "held_bytes": sum(far), "pinned_entries": 0,
                    "unreadable": 0, "uncached_mounts": 1}
    assert "1 mount not cached, and left out" in host.run("cache", "status", "/data").stdout
    assert care(host, "status", "/data/more/1")["held_bytes"] == SIZES["training/1"]
    assert "; 1 object there, 1 entry held" in host.run("cache", "status", "/data/2").stdout
    empty = care(host, "status", "/none")  # a mount is there, whatever its store holds
    assert empty["objects"] == empty["held_entries"] == 0
    assert host.run("cache", "status", "/data/absent").returncode != 0


def test_free_gives_up_a_path_and_nothing_beside_it(host: Host, server: web_server.WebServer) -> None:
    host.start()
    read_all(host, server)
    assert care(host, "free", server.url("train/"))["freed"] == 2
    before = host.status()["upstream_bytes"]
    read_all(host, server)
    assert host.status()["upstream_bytes"] - before == SIZES["train/1"] + SIZES["train/2"]


def test_free_takes_paths_of_the_namespace(host: Host, server: web_server.WebServer) -> None:
    host.start()
    assert host.run("mount", "/data/a", server.url("train")).returncode == 0
    assert host.run("mount", "/data/b/c", server.url("training")).returncode == 0
    read_all(host, server)
    assert care(host, "free", "/data/a/2")["freed"] == 1
    assert care(host, "free", "/data")["freed"] == 2
    assert care(host, "verify")["checked_bytes"] == SIZES["large"]


def test_without_a_daemon_they_say_so(host: Host) -> None:
    for arguments in (("verify",), ("free", "https://example.org/")):
        result = host.run("cache", *arguments)
        assert result.returncode == 1
        assert "no cache is served here" in result.stderr
    assert not (host.home / "daemon.log").exists()


def rules(host: Host) -> dict[str, dict[str, Any]]:
    listed = json.loads(host.run("cache", "rule", "--json").stdout)
    return {rule.pop("path"): rule for rule in listed}


def must(host: Host, *arguments: str) -> str:
    result = host.run("cache", *arguments)
    assert result.returncode == 0, result.stderr
    return str(result.stdout)


def test_pins_hold_while_it_runs_and_after_a_kill(host: Host, server: web_server.WebServer) -> None:
    pinned = SIZES["train/1"] + SIZES["train/2"]
    host.start()
    read_all(host, server)
    assert "pinned; 68.4 KiB of" in must(host, "pin", server.url("train/"))
    assert host.status()["pinned_bytes"] == pinned
    assert care(host, "free", server.url())["pinned"] == 2
    host.end(signal.SIGKILL)
    host.start()
    must(host, "rule", server.url("training"), "--priority", "3")  # returns once the rules are applied
    assert host.status()["pinned_bytes"] == pinned
    must(host, "unpin", server.url("train"))
    assert host.status()["pinned_bytes"] == 0
    assert care(host, "free", server.url())["freed"] == 2


def test_a_small_cache_keeps_what_is_pinned(host: Host, server: web_server.WebServer) -> None:
    must(host, "pin", server.url("train"))  # before there is a daemon
    host.start("--quota", "1500KiB")
    for name in ("train/1", "train/2"):
        host.run("cat", server.url(name), text=False)
    for _ in range(3):
        host.run("cat", server.url("large"), text=False)
    before = host.status()
    assert before["evictions"] + before["bypasses"] > 0
    for name in ("train/1", "train/2"):
        host.run("cat", server.url(name), text=False)
    assert host.status()["upstream_bytes"] == before["upstream_bytes"]


def test_a_folder_with_a_quota_makes_room_by_itself(host: Host, server: web_server.WebServer) -> None:
    host.start()
    read_all(host, server)
    held = host.status()["entries"]
    must(host, "rule", server.url("train"), "--quota", "50KiB")
    assert "at most 50.0 KiB" in must(host, "rule")
    assert host.status()["entries"] == held - 1, "when it returns, the quota holds for what is here"
    for _ in range(2):
        read_all(host, server)
    assert host.status()["entries"] == held - 1
    must(host, "rule", server.url("train"), "--quota", "0")
    read_all(host, server)
    assert host.status()["entries"] == held


def test_rules_by_path(host: Host, server: web_server.WebServer) -> None:
    host.start()
    assert host.run("mount", "/data", server.url("train")).returncode == 0
    must(host, "rule", "/data", "--ttl", "2h", "--priority", "-5")
    must(host, "rule", server.url("large/"), "--admit", "never")
    must(host, "pin", "/data/1")
    plain = {"pinned": False, "priority": 0, "ttl_s": 0, "admit": "always", "quota_bytes": 0}
    assert rules(host) == {
        server.url("train"): {**plain, "ttl_s": 7200, "priority": -5},
        server.url("large"): {**plain, "admit": "never"},
        server.url("train/1"): {**plain, "pinned": True},
    }
    assert "priority -5  for 2h" in must(host, "rule")
    read_all(host, server)
    read_all(host, server)
    assert care(host, "verify")["checked_bytes"] == sum(SIZES.values()) - SIZES["large"]
    must(host, "rule", "/data", "--remove")
    must(host, "unpin", "/data/1")
    assert list(rules(host)) == [server.url("large")]


def test_what_makes_no_sense_is_refused(host: Host, server: web_server.WebServer, tmp_path: pathlib.Path) -> None:
    must(host, "pin", server.url("train"))
    for arguments, why in (
        (("pin", str(tmp_path)), "remote data, as of"),
        (("pin", "/"), "remote data, as of"),
        (("unpin", server.url("large")), "not pinned"),
        (("unpin", server.url("train/1")), "it is pinned with"),
        (("rule", server.url("train"), "--admit", "never"), "unpin it first"),
        (("rule", server.url("large"), "--remove"), "there is no rule"),
        (("rule", "--priority", "1"), "name one"),
    ):
        result = host.run("cache", *arguments)
        assert result.returncode == 1
        assert why in result.stderr, arguments
    assert list(rules(host)) == [server.url("train")]


def test_a_folder_that_is_cached_as_slow_may_be_pinned(host: Host, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "slow"
    folder.mkdir()
    (folder / "one").write_bytes(bytes(70_000))
    host.start()
    assert host.run("mount", "/slow", str(folder), "--option", "cache=on").returncode == 0
    assert host.run("cat", "/slow/one", text=False).stdout == bytes(70_000)
    assert "pinned; 68.4 KiB of" in must(host, "pin", "/slow")
    must(host, "rule", "/", "--priority", "3")
    assert rules(host)[str(folder)]["priority"] == 3


def test_a_daemon_does_not_start_without_the_rules_that_are_there(host: Host, server: web_server.WebServer) -> None:
    must(host, "pin", server.url("train"))
    (host.home / "cache_rules.json").write_text("{")
    result = host.run("daemon")
    assert result.returncode == 1
    assert "cache_rules.json" in result.stderr


def test_metrics_are_those_that_prometheus_reads(host: Host, server: web_server.WebServer) -> None:
    assert "\nforebay_daemon_up 0\n" in host.run("cache", "metrics").stdout
    host.start()
    read_all(host, server)
    lines = host.run("cache", "metrics").stdout.splitlines()
    types = dict(line.split()[2:] for line in lines if line.startswith("# TYPE "))
    assert {line.split()[2] for line in lines if line.startswith("# HELP ")} == set(types)
    samples = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert {name.partition("{")[0] for name in samples} == set(types)
    assert all((types[name] == "counter") == name.endswith("_total") for name in types)
    assert int(samples["forebay_cache_upstream_bytes_total"]) == sum(SIZES.values())
    assert int(samples["forebay_cache_disk_bytes"]) > sum(SIZES.values())
    assert int(samples["forebay_daemon_resident_bytes"]) > 1 << 20
    assert samples["forebay_daemon_up"] == "1"
    assert samples["forebay_daemon_processes"] == "0"  # all have gone, and who asks does not count
    assert set(samples) >= {"forebay_cache_hits_total", "forebay_cache_reads_total", "forebay_cache_hedged_reads_total"}
    unnamed = {name for name, value in host.status().items() if isinstance(value, int)} - {
        name.removeprefix("forebay_cache_").removesuffix("_total") for name in samples}
    assert not unnamed, "counts that are no metrics"


def test_metrics_are_served_at_a_socket(host: Host) -> None:
    host.start()
    path = host.home / "metrics.sock"
    assert path.stat().st_mode & 0o777 == 0o600
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    head, _, body = answer.partition("\r\n\r\n")
    assert "200 OK" in head and f"Content-Length: {len(body)}" in head
    assert "\nforebay_daemon_up 1\n" in body and "\nforebay_cache_hits_total 0\n" in body
    assert host.end() == 0
    assert not path.exists()


def test_top_shows_what_was_read(host: Host, server: web_server.WebServer) -> None:
    host.start()
    read_all(host, server)
    sample = json.loads(host.run("top", "--json").stdout)
    assert sample["seconds"] >= 1
    assert sample["counts"]["read_bytes"] == sum(SIZES.values())
    assert sample["client_bytes_per_s"] == 0
    assert sample["daemon"]["resident_bytes"] > 0
    assert "requests/s" in host.run("top", "--once").stdout
    assert host.run("top", "--interval", "0").returncode != 0


class Terminal:
    """`forebay top` at a terminal of its own."""

    def __init__(self, host: Host) -> None:
        self.end, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 40, 0, 0))
        assert daemon_host.PROGRAM is not None
        self.before = termios.tcgetattr(terminal)
        self.terminal = terminal
        self.process = subprocess.Popen([daemon_host.PROGRAM, "top"], env=host.environment, stdin=terminal,
                                        stdout=terminal, preexec_fn=web_server.end_with_starter)

    def read_until(self, text: bytes) -> bytes:
        drawn = b""
        while text not in drawn:
            drawn += os.read(self.end, 4096)
        return drawn

    def finish(self) -> bytes:
        left = self.read_until(b"\033[?1049l")
        assert self.process.wait() == 0
        assert termios.tcgetattr(self.terminal) == self.before
        os.close(self.terminal)
        os.close(self.end)
        return left


@pytest.mark.parametrize("how", ["q", "signal"])
def test_top_draws_to_the_terminal_and_leaves_it_as_it_was(host: Host, how: str) -> None:
    host.start()
    terminal = Terminal(host)
    first = terminal.read_until(b"\033[J")
    assert first.startswith(b"\033[?1049h")
    assert b"forebay top: daemon" in first
    lines = first.split(b"\033[H")[1].split(b"\033[K")
    assert len(lines) <= 10 + 1
    assert max(len(line.strip()) for line in lines) <= 40
    fcntl.ioctl(terminal.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 60, 0, 0))
    assert max(len(line.strip()) for line in terminal.read_until(b"\033[J").split(b"\033[K")) > 40
    if how == "q":
        os.write(terminal.end, b"xq")
    else:
        terminal.process.send_signal(signal.SIGINT)
    terminal.finish()


def test_top_waits_for_the_next_daemon(host: Host) -> None:
    host.start()
    terminal = Terminal(host)
    terminal.read_until(b"forebay top: daemon")
    host.end(signal.SIGKILL)
    terminal.read_until(b"no cache is served here")
    host.start()
    terminal.read_until(b"forebay top: daemon")
    os.write(terminal.end, b"q")
    terminal.finish()
