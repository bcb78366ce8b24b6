"""The order in which pipelines read, known to the host's cache: eight ranks of one data set, as eight processes."""

from __future__ import annotations

import collections
import pathlib
import re
import subprocess
import sys

import daemon_host
import pytest
import web_server
from daemon_host import Host

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

RANKS = 8
FILES = 37

# Reads one batch, waits for a line, reads the rest of three epochs, and prints the hash of all of it.
RANK = f"""
import hashlib, sys
import numpy as np
from remote_data import from_files
pipeline = from_files(sys.argv[1], num_shards={RANKS}, shard_id=int(sys.argv[2]), prefetch_queue_depth=1)
hash = hashlib.sha256()
for batch in range(3):
    for output in pipeline.run():
        for place in range(len(output)):
            hash.update(np.array(output.at(place)).tobytes())
    if batch == 0:
        print("reading", flush=True)
        sys.stdin.readline()
print(hash.hexdigest())
"""


class Rank:
    """A process that reads its shard, step by step."""

    def __init__(self, host: Host, url: str, rank: int) -> None:
        self.process = subprocess.Popen([sys.executable, "-P", "-c", RANK, url, str(rank)], env=host.environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=web_server.end_with_starter)

    def wait_until_it_reads(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "reading\n"

    def finish(self) -> str:
        output, _ = self.process.communicate("go on\n")
        assert self.process.returncode == 0
        return str(output)


def reads_of_photos(requests: pathlib.Path) -> dict[str, int]:
    """How often each photograph was fetched, by the server's log. One byte is no fetch: by that the daemon asks whether
    a process may have what is in the cache already."""
    answered = re.findall(r'"GET (\S+\.jpg) HTTP/1.1" \d+ (\d+) ', requests.read_text())
    return collections.Counter(name for name, size in answered if size != "1")


def wait_for(host: Host, **counts: int) -> None:
    while any(host.status()[name] != count for name, count in counts.items()):
        pass


def test_eight_ranks_cause_one_read_of_each_byte(
    host: Host, server: web_server.WebServer, photos: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    requests = tmp_path / "web" / "requests"
    size = sum(path.stat().st_size for path in photos.rglob("*.jpg"))
    alone = [Rank(host, server.url(), rank) for rank in range(RANKS)]
    expected = [rank.finish().removeprefix("reading\n") for rank in alone]
    assert sum(reads_of_photos(requests).values()) > FILES  # each has read for itself
    requests.write_text("")

    host.start()
    ranks = [Rank(host, server.url(), rank) for rank in range(RANKS)]
    for rank in ranks:
        rank.wait_until_it_reads()
    # Nobody asks for more, but the cache knows what the ranks will ask for.
    wait_for(host, plans=RANKS, upstream_bytes=size)
    assert host.status()["ahead_reads"] > 0
    assert [rank.finish() for rank in ranks] == expected
    wait_for(host, plans=0)
    counts = host.status()
    assert counts["upstream_bytes"] == size
    assert counts["upstream_reads"] == counts["entries"] == FILES
    assert host.end() == 0
    reads = reads_of_photos(requests)
    assert len(reads) == FILES
    assert sum(reads.values()) - FILES <= counts["hedged_reads"]  # none, unless the machine is busy
