"""A store that goes away costs no sample, whatever the policy for broken ones; what was written needs no fetching."""

from __future__ import annotations

import pathlib

import daemon_host
import pytest
import s3_server
from away_proxy import away_proxy
from daemon_host import Host, result_of
from remote_data import BATCH_SIZE

pytestmark = [
    pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

# Prints how many samples two epochs have under a policy, and the hash of them.
JOB = f"""
import hashlib, sys
from remote_data import batches_of, from_files
arrays = [array.tobytes() for batch in batches_of(from_files(sys.argv[1], on_error=sys.argv[2])) for array in batch]
print(len(arrays) // 2, hashlib.sha256(b"".join(arrays)).hexdigest())
"""


def printed_by(host: Host, program: str, *arguments: str) -> str:
    job = host.run_python(program, *arguments)
    assert job.returncode == 0, job.stderr
    return job.stdout


def samples_of(host: Host, policy: str) -> str:
    return printed_by(host, JOB, "s3://photos", policy)


@pytest.mark.parametrize(("policy", "with_daemon"), [("skip", True), ("replace", True), ("skip", False)])
def test_a_store_that_goes_away_costs_no_sample(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, policy: str, with_daemon: bool
) -> None:
    host.environment.update(bucket.environment(), FOREBAY_DAEMON="running")
    undisturbed = samples_of(host, policy)
    count = len(list(photos.rglob("*.jpg")))
    assert int(undisturbed.split()[0]) == 2 * -(-count // BATCH_SIZE) * BATCH_SIZE
    if with_daemon:
        host.start()
    with away_proxy(bucket.port, ".jpg", answers=10, refusals=40) as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        assert samples_of(host, policy) == undisturbed
        assert proxy.refusals_left < 0


# Prints the hash of what a file system reads, sizes asked for included.
FILES = """
import hashlib, sys
import fsspec, forebay.filesystem
files = fsspec.filesystem("forebay")
names = sorted(files.find(sys.argv[1]))[:5]
hash = hashlib.sha256()
for name in names:
    with files.open(name) as file:
        hash.update(file.read())
    hash.update(files.cat_file(name, start=-100) + files.cat_file(name, end=50))
    hash.update(files.cat_ranges([name], [-10], [None])[0])
print(hash.hexdigest())
"""


@pytest.mark.parametrize("answers", [2, 8])
def test_an_outage_costs_a_file_system_nothing(host: Host, bucket: s3_server.S3Server, answers: int) -> None:
    """It begins where the size of a file is asked for: to read its end, or to open the next one."""
    host.environment.update(bucket.environment(), FOREBAY_DAEMON="off")

    def read_files() -> str:
        return printed_by(host, FILES, "s3://photos")

    undisturbed = read_files()
    with away_proxy(bucket.port, ".jpg", answers=answers, refusals=7) as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        assert read_files() == undisturbed
        assert proxy.refusals_left < 0


def test_what_was_copied_into_a_store_is_not_fetched_again(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path
) -> None:
    host.environment.update(bucket.environment())
    bucket.put("copies")
    host.start()
    copied = host.run("cp", "-r", str(photos), "s3://copies")
    assert copied.returncode == 0, copied.stderr
    assert result_of(host.read(f"s3://copies/{photos.name}")) == result_of(host.read(str(photos)))
    assert host.status()["upstream_bytes"] == 0
