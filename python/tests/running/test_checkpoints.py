"""Checkpoints of PyTorch, written to S3 and read again through the host's cache."""

from __future__ import annotations

import collections.abc
import pathlib
import subprocess
import sys

import daemon_host
import pytest
import s3_server

torch = pytest.importorskip("torch")
pytest.importorskip("fsspec")

pytestmark = [
    pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

MODEL = """
import sys, torch, fsspec
import forebay.filesystem

def state(step):
    torch.manual_seed(step)
    return {f"layer{number}": torch.rand(100 + number, 1000) for number in range(20)} | {"step": torch.tensor(step)}

def is_same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
"""

GROUP = MODEL + """
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
try:
    from torch.distributed.checkpoint.fsspec_filesystem import FsspecReader, FsspecWriter
except ImportError:  # older versions
    from torch.distributed.checkpoint._fsspec_filesystem import FsspecReader, FsspecWriter
"""

# Arguments: step, folder of the meeting point, rank. An object is stored once it is closed; older versions of PyTorch
# would sync the file that they take it for. The group ends with its processes: PyTorch 2.6's destroy_process_group waits
# with the GIL held for a thread that wants it.
SAVE_AS_A_GROUP = GROUP + """
step, rank = int(sys.argv[1]), int(sys.argv[3])
dist.init_process_group("gloo", init_method=f"file://{sys.argv[2]}/meeting-{step}", rank=rank, world_size=2)
dcp.save(state(step), storage_writer=FsspecWriter("forebay:///jobs/group", sync_files=False))
"""

LOAD_ALONE = GROUP + """
step = int(sys.argv[1])
loaded = {name: torch.zeros_like(value) for name, value in state(step).items()}
dcp.load(loaded, storage_reader=FsspecReader("forebay:///jobs/group"))
assert is_same(loaded, state(step))
"""

SAVE = MODEL + """
with fsspec.open("forebay:///jobs/alone.pt", "wb") as file:
    torch.save(state(int(sys.argv[1])), file)
"""

LOAD = MODEL + """
with fsspec.open("forebay:///jobs/alone.pt", "rb") as file:
    assert is_same(torch.load(file), state(int(sys.argv[1])))
"""

SAVE_BOTH = SAVE + """
with fsspec.open("forebay:///jobs/little.pt", "wb") as file:
    torch.save({"weights": torch.ones(1000, 1000)}, file)
"""

LOAD_BOTH = LOAD + """
with fsspec.open("forebay:///jobs/little.pt", "rb") as file:
    assert torch.equal(torch.load(file)["weights"], torch.ones(1000, 1000))
"""

SAVE_AND_FAIL = MODEL + """
class Unwilling:
    def __reduce__(self):
        raise ZeroDivisionError

with fsspec.open("forebay:///jobs/alone.pt", "wb") as file:
    torch.save({"first": torch.rand(4_000_000), "then": Unwilling()}, file)
"""


class Job:
    """A host with a daemon, whose /jobs is a bucket."""

    def __init__(self, folder: pathlib.Path, *options: str) -> None:
        self.folder = folder
        (folder / "s3").mkdir()
        self.server = s3_server.S3Server(folder / "s3")
        self.server.put("jobs")
        self.host = daemon_host.Host(folder / "home")
        self.host.environment |= self.server.environment() | {"CUDA_VISIBLE_DEVICES": ""}
        self.host.start()
        assert self.host.run("mount", "/jobs", "s3://jobs", *options).returncode == 0

    def start(self, script: str, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-P", "-c", script, *map(str, arguments)], text=True,
                                env=self.host.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, script: str, *arguments: object) -> None:
        daemon_host.result_of(self.start(script, *arguments))

    def upstream_bytes(self) -> int:
        return self.host.status()["upstream_bytes"]

    def end(self) -> None:
        self.host.end()
        self.server.stop()


@pytest.fixture(params=[(), ("--write-back",)], ids=["through", "back"])
def job(tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> collections.abc.Iterator[Job]:
    started = Job(tmp_path, *request.param)
    yield started
    flushed = started.host.run("cache", "flush", "--wait", "5m")
    assert flushed.returncode == 0, flushed.stderr
    started.end()


def test_what_one_job_saves_the_next_loads_from_the_cache(job: Job) -> None:
    """In several parts, twice, and in one."""
    job.run(SAVE, 1)
    job.run(SAVE_BOTH, 2)
    job.run(LOAD_BOTH, 2)
    assert job.upstream_bytes() == 0


@pytest.mark.nightly
def test_a_group_saves_and_one_process_loads(job: Job) -> None:
    for step in (1, 2):
        daemon_host.results_of(*(job.start(SAVE_AS_A_GROUP, step, job.folder, rank) for rank in range(2)))
        job.run(LOAD_ALONE, step)


@pytest.mark.nightly
def test_a_save_that_fails_leaves_the_last_checkpoint(job: Job) -> None:
    job.run(SAVE, 1)
    failed = job.start(SAVE_AND_FAIL)
    assert "ZeroDivisionError" in failed.communicate()[1] and failed.returncode == 1
    job.run(LOAD, 1)
