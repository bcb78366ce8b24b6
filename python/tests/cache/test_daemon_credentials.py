"""Whose credentials the host's cache uses: those of whoever asks, however its daemon was started."""

from __future__ import annotations

import pathlib

import daemon_host
import pytest
import s3_server
from counting_proxy import counting_proxy
from daemon_host import Host, result_of

pytestmark = [
    pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]


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


def test_profiles_are_those_of_each_process(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Of two processes with the same environment but for the profile, one has the keys."""
    environment = bucket.environment()
    keys = "[{}]\naws_access_key_id = {}\naws_secret_access_key = {}\n".format
    (tmp_path / "credentials").write_text(keys("right", s3_server.ACCESS_KEY, s3_server.SECRET_KEY) +
                                          keys("wrong", s3_server.ACCESS_KEY, "quite/wrong"))
    del environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]
    host.environment.update(environment, AWS_SHARED_CREDENTIALS_FILE=str(tmp_path / "credentials"))
    host.start()
    name = next(photos.rglob("*.jpg")).relative_to(photos)
    for profile in ("right", "wrong", "right"):
        host.environment["AWS_PROFILE"] = profile
        read = host.run("cat", f"s3://photos/{name}", text=False)
        assert read.stdout == ((photos / name).read_bytes() if profile == "right" else b"")
        assert (read.returncode == 0) == (profile == "right"), read.stderr
    assert host.status()["upstream_reads"] == 1


REFUSED_JOB = """
import sys
from remote_data import from_files
from_files(files=sys.argv[2:], on_error=sys.argv[1]).run()
"""


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_what_is_refused_is_no_fault_of_a_sample(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, policy: str
) -> None:
    """It raises at once under every policy."""
    host.environment.update(bucket.environment(), AWS_SECRET_ACCESS_KEY="quite/wrong")
    host.start()
    files = [f"s3://photos/{path.relative_to(photos)}" for path in sorted(photos.rglob("*.jpg"))[:10]]
    with counting_proxy(bucket.port) as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        job = host.run_python(REFUSED_JOB, policy, *files)
        assert job.returncode != 0
        assert "access is denied" in job.stderr
        assert proxy.lists + proxy.others <= 3 * len(files)  # the daemon asks, and the process: once each
