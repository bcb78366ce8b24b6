"""Mounts that are written back: acknowledged by the journal of the host's daemon, stored in S3 afterwards."""

from __future__ import annotations

import collections.abc
import json
import pathlib
import random
import signal

import closing_gate
import daemon_host
import pytest
import s3_server

pytestmark = [
    pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

SMALL = 100_000
LARGE = 40_000_000  # given to the daemon in parts


class WrittenBack:
    """A host with a daemon, whose /jobs is a bucket behind a gate, and is written back."""

    def __init__(self, folder: pathlib.Path, server: s3_server.S3Server, gate: closing_gate.ClosingGate) -> None:
        self.server = server
        self.gate = gate
        self.file = folder / "file"
        self.host = daemon_host.Host(folder / "home")
        self.host.environment |= server.environment() | {"AWS_ENDPOINT_URL": gate.url, "CUDA_VISIBLE_DEVICES": ""}
        # What the bucket really has is asked by a host of its own, past the gate.
        self.other = daemon_host.Host(folder / "other")
        self.other.environment |= server.environment() | {"FOREBAY_DAEMON": "off"}
        mounted = self.host.run("mount", "/jobs", "s3://jobs", "--write-back=200MiB")
        assert mounted.returncode == 0, mounted.stderr
        self.host.start()

    def write(self, path: str, seed: int, size: int) -> None:
        self.file.write_bytes(content(seed, size))
        written = self.host.run("cp", str(self.file), path)
        assert written.returncode == 0, written.stderr

    def read(self, path: str) -> bytes:
        read = self.host.run("cat", path, text=False)
        assert read.returncode == 0, read.stderr
        return bytes(read.stdout)

    def waiting(self) -> dict[str, object]:
        status: dict[str, object] = self.host.status()["write_back"]  # type: ignore[assignment]
        return status

    def flush(self) -> None:
        flushed = self.host.run("cache", "flush", "--wait", "5m", "--json")
        assert flushed.returncode == 0, flushed.stderr
        assert json.loads(flushed.stdout)["waiting"] == 0

    def stored(self, key: str) -> bytes | None:
        """What the bucket has."""
        read = self.other.run("cat", f"s3://jobs/{key}", text=False)
        return read.stdout if read.returncode == 0 else None

    def names(self) -> list[str]:
        return str(self.other.run("ls", "s3://jobs").stdout).split()


@pytest.fixture
def back(tmp_path: pathlib.Path) -> collections.abc.Iterator[WrittenBack]:
    (tmp_path / "s3").mkdir()
    server = s3_server.S3Server(tmp_path / "s3")
    server.put("jobs")
    with closing_gate.closing_gate(server.port) as gate:
        started = WrittenBack(tmp_path, server, gate)
        yield started
        started.host.end(signal.SIGKILL)
    server.stop()


def content(seed: int, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_what_is_written_while_the_store_is_away_is_read_and_stored_later(back: WrittenBack, size: int) -> None:
    back.gate.close()
    back.write("/jobs/model", 1, size)
    assert back.read("/jobs/model") == content(1, size)
    assert back.waiting()["objects"] == 1
    assert back.waiting()["bytes"] == size
    assert back.stored("model") is None
    back.gate.open()
    back.flush()
    assert back.stored("model") == content(1, size)
    upstream = back.host.status()["upstream_bytes"]
    assert back.read("/jobs/model") == content(1, size)
    assert back.host.status()["upstream_bytes"] == upstream  # from the cache
    assert back.waiting()["conflicts"] == 0


def test_a_killed_daemon_loses_nothing(back: WrittenBack) -> None:
    back.gate.close()
    for seed in (1, 2, 3):
        back.write("/jobs/model", seed, SMALL)
    back.write("/jobs/other", 4, LARGE)
    back.host.end(signal.SIGKILL)
    # Without a daemon nobody takes what the store has for what was acknowledged.
    back.host.environment["FOREBAY_DAEMON"] = "running"
    reader = back.host.run("cat", "/jobs/model")
    assert reader.returncode != 0
    assert "to be stored" in reader.stderr
    del back.host.environment["FOREBAY_DAEMON"]
    back.host.start()
    assert back.waiting()["objects"] == 4
    assert back.read("/jobs/model") == content(3, SMALL)
    back.gate.open()
    back.flush()
    assert back.stored("model") == content(3, SMALL)
    assert back.stored("other") == content(4, LARGE)
    assert back.names() == ["model", "other"]


def test_a_daemon_that_is_killed_while_it_stores_goes_on(back: WrittenBack) -> None:
    for attempt in range(3):
        for number in range(4):
            back.write(f"/jobs/model{number}", 10 * attempt + number, LARGE // 4)
        back.host.end(signal.SIGKILL)
        back.host.start()
    back.flush()
    for number in range(4):
        assert back.stored(f"model{number}") == content(20 + number, LARGE // 4)
    assert back.waiting()["damaged"] == []
    assert back.names() == [f"model{number}" for number in range(4)]


def test_a_mount_for_which_something_waits_stays(back: WrittenBack) -> None:
    back.gate.close()
    back.write("/jobs/model", 1, SMALL)
    refused = back.host.run("unmount", "/jobs")
    assert refused.returncode == 1
    assert "wait to be stored" in refused.stderr
    late = back.host.run("cache", "flush", "/jobs", "--wait", "1s")
    assert late.returncode == 1
    assert "1 objects still wait" in late.stderr
    back.gate.open()
    back.flush()
    assert back.host.run("unmount", "/jobs").returncode == 0


def test_what_somebody_else_wrote_stays(back: WrittenBack) -> None:
    back.write("/jobs/model", 1, SMALL)
    back.flush()
    back.gate.close()
    back.write("/jobs/new", 2, SMALL)
    back.server.put("jobs/new", b"theirs")
    back.gate.open()
    back.flush()
    assert back.stored("new") == b"theirs"
    assert back.waiting()["conflicts"] == 1
    beside = [name for name in back.names() if name.startswith("new.forebay-conflict-")]
    assert len(beside) == 1
    assert back.stored(beside[0]) == content(2, SMALL)
    assert beside[0] in back.host.run("cache", "status").stdout


def test_a_stopped_daemon_stores_what_waits(back: WrittenBack) -> None:
    back.write("/jobs/model", 1, LARGE)
    assert back.host.end() == 0
    assert back.stored("model") == content(1, LARGE)
    back.host.start()


def test_removals_and_renames_see_what_waits(back: WrittenBack) -> None:
    back.write("/jobs/model", 1, SMALL)
    assert back.host.run("rm", "/jobs/model").returncode == 0
    assert back.host.run("ls", "/jobs").stdout == ""
    back.write("/jobs/model", 2, SMALL)
    assert back.host.run("cp", "/jobs/model", "/jobs/copy").returncode == 0
    back.flush()
    assert back.stored("copy") == content(2, SMALL)


def test_secrets_stay_out_of_the_journal(back: WrittenBack, tmp_path: pathlib.Path) -> None:
    options = tmp_path / "options"
    options.write_text(f"access_key_id={s3_server.ACCESS_KEY}\nsecret_access_key={s3_server.SECRET_KEY}\n")
    mounted = back.host.run("mount", "/secret", "s3://jobs/below", "--write-back", "--option-file", str(options))
    assert mounted.returncode == 0, mounted.stderr
    back.gate.close()
    back.write("/secret/model", 1, SMALL)
    files = list((back.host.home / "journal").glob("*.entry"))
    assert len(files) == 1
    assert s3_server.SECRET_KEY.encode() not in files[0].read_bytes()
    back.gate.open()
    back.flush()
    assert back.stored("below/model") == content(1, SMALL)


def test_what_cannot_be_written_back_is_refused(back: WrittenBack, tmp_path: pathlib.Path) -> None:
    for arguments in ((str(tmp_path),), ("https://example.org/",), ("s3://jobs", "--read-only")):
        assert back.host.run("mount", "/no", *arguments, "--write-back").returncode == 1
    assert "written back, 200.0 MiB may wait" in back.host.run("mount").stdout
    assert json.loads(back.host.run("mount", "--json").stdout)[0]["write_back_bytes"] == 200 << 20
