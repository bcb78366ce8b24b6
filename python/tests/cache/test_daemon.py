"""The host's cache: one daemon for all processes, which read upstream themselves when there is none."""

from __future__ import annotations

import collections.abc
import io
import pathlib
import signal
import subprocess
import tarfile

import daemon_host
import pytest
import web_server
from daemon_host import Host, result_of
from tfrecords import masked_crc32c

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]


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


def test_a_query_that_the_daemon_would_not_see_stays_here(
    host: Host, server: web_server.WebServer, photos: pathlib.Path
) -> None:
    name = next(photos.rglob("*.jpg")).relative_to(photos)
    host.start()
    result_of(host.read(server.url(f"{name}?token=secret")))
    assert host.status()["upstream_reads"] == 0


SHARD_SAMPLES = 12
SAMPLE_BYTES = 600_000


def make_tar(path: pathlib.Path) -> None:
    with tarfile.open(path, "w") as tar:
        for number in range(SHARD_SAMPLES):
            for name, size in ((f"{number:02}.jpg", SAMPLE_BYTES), (f"{number:02}.cls", 2)):
                member = tarfile.TarInfo(name)
                member.size = size
                tar.addfile(member, io.BytesIO(bytes(size)))


def make_tfrecord(path: pathlib.Path) -> None:
    """Its records are counted, and not read."""
    length = SAMPLE_BYTES.to_bytes(8, "little")
    path.write_bytes((length + masked_crc32c(length) + bytes(SAMPLE_BYTES + 4)) * SHARD_SAMPLES)


@pytest.mark.parametrize(("make", "reader"), [(make_tar, "from_shards"), (make_tfrecord, "from_records")])
def test_a_shard_is_looked_through_once_for_all_jobs(
    host: Host, server: web_server.WebServer, photos: pathlib.Path,
    make: collections.abc.Callable[[pathlib.Path], None], reader: str,
) -> None:
    """What the first job found in it lies in the cache: the next one reads that table, and nothing of the shard."""
    shard = photos / "shard"
    make(shard)
    count = f"import sys; from remote_data import {reader}; print({reader}([sys.argv[1]]).epoch_size('reader'))"
    host.start()
    shard_bytes = shard.stat().st_size
    reads = [0]
    try:
        for _ in range(3):
            job = host.run_python(count, server.url("shard"))
            assert job.stdout == f"{SHARD_SAMPLES}\n", job.stderr
            status = host.status()
            reads.append(status["reads"])
            # By all jobs together; the first small read may be a part of what comes next.
            assert 0 < status["upstream_bytes"] <= shard_bytes + (16 << 10)
    finally:
        shard.unlink()
    assert reads[1] >= 2  # of the shard, which is larger than one read of it
    assert [reads[2] - reads[1], reads[3] - reads[2]] == [1, 1]


def test_what_no_cache_has_made_is_left_alone(
    host: Host, server: web_server.WebServer, tmp_path: pathlib.Path
) -> None:
    """A user names a folder of their own as the cache's: the daemon serves without it."""
    alone = result_of(host.read(server.url()))
    mine = tmp_path / "mine"
    (mine / "objects").mkdir(parents=True)
    (mine / "objects" / "thesis").write_text("mine")
    (mine / "notes.txt").write_text("mine, too")
    host.start("--directory", str(mine))
    assert result_of(host.read(server.url())) == alone
    assert host.status()["directories_off"] == 1
    assert host.end() == 0
    assert (mine / "objects" / "thesis").read_text() == "mine"
    assert sorted(path.name for path in mine.iterdir()) == ["notes.txt", "objects"]


def test_a_relative_directory_is_where_the_daemon_was_started(host: Host, tmp_path: pathlib.Path) -> None:
    assert daemon_host.PROGRAM is not None
    started = subprocess.run([daemon_host.PROGRAM, "daemon", "--background", "--directory", "near"], cwd=tmp_path,
                             env=host.environment, capture_output=True, text=True, check=False)
    assert started.returncode == 0, started.stderr
    assert (tmp_path / "near" / "lock").exists()
    assert host.run("daemon", "--stop").returncode == 0
