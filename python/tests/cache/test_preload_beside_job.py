"""A preload beside a training job of the same data set: neither waits for the other, and what one has fetched serves
both."""

from __future__ import annotations

import collections.abc
import hashlib
import json
import pathlib
import subprocess
import sys

import daemon_host
import pytest
import web_server
from daemon_host import Host
from gated_proxy import GatedProxy, gated_proxy
from test_preload import begin, preload, wait_until_running

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

FILES = 300  # far more than a client has connections
MOST_CONNECTIONS = 64
BATCH = 10
BATCHES = FILES // BATCH

# Reads the files from the last to the first, a batch for each line that it is sent; then prints the hash of all.
JOB = f"""
import hashlib, sys
import numpy as np
from forebay import fn, pipeline_def

@pipeline_def(batch_size={BATCH}, num_threads=2)
def job():
    files = [f"{{sys.argv[1]}}/class0/{{number:03}}.jpg" for number in reversed(range({FILES}))]
    return fn.readers.file(files=files, name="reader")

pipeline = job(prefetch_queue_depth=1)
hash = hashlib.sha256()
for batch in range({BATCHES}):
    sys.stdin.readline()
    contents, _ = pipeline.run()
    for place in range(len(contents)):
        hash.update(np.array(contents.at(place)).tobytes())
    print(batch, flush=True)
print(hash.hexdigest())
"""


class Job:
    def __init__(self, host: Host, url: str) -> None:
        self.process = subprocess.Popen([sys.executable, "-P", "-c", JOB, url], env=host.environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        preexec_fn=web_server.end_with_starter)
        self.batches = 0

    def run(self, batches: int) -> None:
        """Returns once it has got so many more."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        for _ in range(batches):
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline() == f"{self.batches}\n"
            self.batches += 1

    def finish(self) -> str:
        self.run(BATCHES - self.batches)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        output, errors = self.process.stdout.read(), self.process.stderr.read()
        assert self.process.wait() == 0, errors
        return output.strip()


@pytest.fixture
def data(tmp_path: pathlib.Path) -> pathlib.Path:
    root = tmp_path / "data"
    (root / "class0").mkdir(parents=True)
    for number in range(FILES):
        (root / "class0" / f"{number:03}.jpg").write_bytes(hashlib.sha256(str(number).encode()).digest() * 64)
    return root


@pytest.fixture
def expected(data: pathlib.Path) -> str:
    """The hash of what the job reads."""
    files = sorted(data.rglob("*.jpg"), reverse=True)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


@pytest.fixture
def proxy(data: pathlib.Path, tmp_path: pathlib.Path) -> collections.abc.Iterator[GatedProxy]:
    """Before a web server with the data set. Its gate is closed."""
    (tmp_path / "web").mkdir()
    server = web_server.WebServer(data, tmp_path / "web", "autoindex on; autoindex_format json;")
    try:
        with gated_proxy(server.port, ".jpg") as made:
            try:
                yield made
            finally:
                made.open()
    finally:
        server.stop()


@pytest.fixture
def host(host: Host) -> Host:
    host.start()
    return host


def paths_of(numbers: collections.abc.Iterable[int]) -> set[str]:
    return {f"/class0/{number:03}.jpg" for number in numbers}


def assert_each_came_once(host: Host, proxy: GatedProxy, data: pathlib.Path) -> None:
    """But for what a job wanted while the preload's request was on its way: that is asked for anew, with the job's
    urgency, and the server may have answered already."""
    sizes = [path.stat().st_size for path in data.rglob("*.jpg")]
    proxy.wait_for_bodies(paths_of(range(FILES)))
    read = host.status()["upstream_bytes"] - sum(sizes)
    assert 0 <= read <= MOST_CONNECTIONS * max(sizes)


def test_a_job_gets_its_batches_while_a_preload_waits_for_the_server(
    host: Host, proxy: GatedProxy, data: pathlib.Path, expected: str
) -> None:
    batches = 3
    wanted = paths_of(range(FILES - batches * BATCH, FILES))
    loading = begin(host, proxy.url + "/", "--json")
    proxy.wait_until_held(paths_of(range(FILES)))
    proxy.let_through(wanted)
    job = Job(host, proxy.url)
    job.run(batches)
    assert set(proxy.held) & paths_of(range(FILES // 2))  # the preload still waits for what it began with
    status = preload(host, proxy.url + "/", "--status")
    assert (status["state"], status["objects"]) == ("running", 0)

    proxy.open()
    assert job.finish() == expected
    output, errors = loading.communicate()
    assert loading.returncode == 0, errors
    assert json.loads(output)["objects"] == FILES
    assert_each_came_once(host, proxy, data)


def test_a_preload_is_stopped_and_goes_on_while_a_job_runs(
    host: Host, proxy: GatedProxy, data: pathlib.Path, expected: str
) -> None:
    proxy.let_through(paths_of(range(FILES - 5 * BATCH, FILES)))
    loading = begin(host, proxy.url + "/")
    proxy.wait_until_held(paths_of(range(FILES // 2)))
    job = Job(host, proxy.url)
    job.run(2)
    wait_until_running(host, proxy.url + "/", loading)
    stopped = host.run("preload", proxy.url + "/", "--stop")
    assert stopped.returncode == 0, stopped.stderr
    assert loading.wait() == 1
    assert preload(host, proxy.url + "/", "--status")["state"] == "stopped"
    job.run(2)

    again = begin(host, proxy.url + "/", "--json")
    wait_until_running(host, proxy.url + "/", again)
    job.run(1)
    proxy.open()
    output, errors = again.communicate()
    assert again.returncode == 0, errors
    facts = json.loads(output)
    assert (facts["state"], facts["objects"], facts["failed"]) == ("done", FILES, 0)
    assert job.finish() == expected
    assert_each_came_once(host, proxy, data)


def test_a_job_that_ends_early_leaves_the_preload_alone(
    host: Host, proxy: GatedProxy, data: pathlib.Path, expected: str
) -> None:
    proxy.let_through(paths_of(range(FILES - 2 * BATCH, FILES)))
    loading = begin(host, proxy.url + "/", "--json")
    proxy.wait_until_held(paths_of(range(FILES // 2)))
    job = Job(host, proxy.url)
    job.run(2)
    job.process.kill()
    job.process.wait()
    proxy.open()
    output, errors = loading.communicate()
    assert loading.returncode == 0, errors
    assert json.loads(output)["objects"] == FILES
    read = host.status()["upstream_bytes"]
    assert Job(host, proxy.url).finish() == expected
    assert host.status()["upstream_bytes"] == read
    assert_each_came_once(host, proxy, data)
