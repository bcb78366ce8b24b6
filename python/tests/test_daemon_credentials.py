"""Whose credentials the host's cache uses: those of whoever asks, however its daemon was started."""

from __future__ import annotations

import collections.abc
import pathlib

import daemon_host
import pytest
import s3_server
from daemon_host import Host, result_of

pytestmark = [
    pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]


@pytest.fixture
def bucket(tmp_path: pathlib.Path, photos: pathlib.Path) -> collections.abc.Iterator[s3_server.S3Server]:
    """The photographs in the bucket "photos"."""
    (tmp_path / "s3").mkdir()
    started = s3_server.S3Server(tmp_path / "s3")
    started.put_folder("photos", photos)
    yield started
    started.stop()


def test_each_process_brings_its_own(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path
) -> None:
    """The daemon was started by somebody who has none."""
    host.start()
    host.environment.update(bucket.environment())
    first = result_of(host.read("s3://photos"))
    files = len(list(photos.rglob("*.jpg")))
    assert host.status()["upstream_reads"] == files
    proxy = f"http://{s3_server.HOST}:1"  # for other hosts
    host.environment.update({"AWS_PAGER": "less", "AWS_DEFAULT_OUTPUT": "json", "https_proxy": proxy})
    assert result_of(host.read("s3://photos")) == first
    assert host.status()["upstream_reads"] == files


def test_wrong_ones_are_refused_and_disturb_nobody(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path
) -> None:
    host.environment.update(bucket.environment())
    host.start()
    name = next(photos.rglob("*.jpg")).relative_to(photos)
    first = result_of(host.read("s3://photos"))
    reads = host.status()["upstream_reads"]
    for _ in range(2):
        host.environment["AWS_SECRET_ACCESS_KEY"] = "quite/wrong"
        refused = host.run("cat", f"s3://photos/{name}", text=False)
        assert refused.returncode != 0
        assert refused.stdout == b""
        assert b"the host's cache is not used" not in refused.stderr
        host.environment["AWS_SECRET_ACCESS_KEY"] = s3_server.SECRET_KEY
        assert result_of(host.read("s3://photos")) == first
        assert host.run("cat", f"s3://photos/{name}", text=False).stdout == (photos / name).read_bytes()
    assert host.status()["upstream_reads"] == reads
