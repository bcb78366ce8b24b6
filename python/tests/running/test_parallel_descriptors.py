"""Sources in worker processes where descriptors are few: as a user whom the kernel holds to `ulimit -n`."""

from __future__ import annotations

import resource
import subprocess
import sys
from typing import Any, Iterator

import numpy as np
import pytest

from forebay import Pipeline, fn, pipeline_def, types

SCRIPT = """
import os, random, resource, sys, time
import numpy as np
import numpy.random  # now: another user may not read where it lies
from forebay import fn, pipeline_def, types
from forebay.graph import source_worker, worker_pool

limit, workers, depth = map(int, sys.argv[1:4])
if sys.argv[4] == "unbounded":  # as where other processes of the user have theirs under way
    worker_pool._in_flight = lambda workers: 128
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
if os.getuid() == 0:  # whom the kernel lets have more of them under way
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)

@pipeline_def(batch_size=4, num_threads=1, py_num_workers=workers)
def make():
    return fn.external_source(lambda info: np.int32(info.idx_in_epoch), parallel=True, batch=False,
                              prefetch_queue_depth=depth)

pipe = make()
kept = [pipe.run()[0]]
time.sleep(0.3)  # the workers go on, and nobody reads
kept += [pipe.run()[0] for _ in range(depth - 1)]
print([int(batch.as_array()[3]) for batch in kept] == [4 * k + 3 for k in range(depth)])
pipe.close()
"""


@pytest.mark.parametrize(("limit", "workers", "depth"), [(256, 4, 100), (64, 2, 200), (64, 1, 300)])
@pytest.mark.parametrize("how", ["bounded", "unbounded"])
def test_batches_ahead_beyond_the_limit(limit: int, workers: int, depth: int, how: str) -> None:
    command = [sys.executable, "-c", SCRIPT, str(limit), str(workers), str(depth), how]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (result.stdout, result.stderr) == ("True\n", "")


def build(source: Any, workers: int = 1) -> Pipeline:
    @pipeline_def(batch_size=2, num_threads=1, py_num_workers=workers)
    def make() -> Any:
        return fn.external_source(source, parallel=True, batch=False)

    return make()


@pytest.fixture
def limited() -> Iterator[Any]:
    """Lets this process open no more descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_worker_without_descriptors_says_what_to_do() -> None:
    def source(info: types.SampleInfo) -> np.ndarray:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        return np.zeros(3)

    pipe = build(source)
    for _ in range(2):
        with pytest.raises(OSError, match="in a worker process; raise the limit, `ulimit -n`"):
            pipe.run()
    pipe.close()


def test_a_pipeline_without_descriptors_says_what_to_do(limited: Any) -> None:
    pipe = build(lambda info: np.int32(info.idx_in_epoch))
    kept = [pipe.run()]
    limited()
    with pytest.raises(OSError, match="what a worker process has made; raise the limit, `ulimit -n`"):
        for _ in range(20):
            kept.append(pipe.run())
    pipe.close()
    assert [int(outputs[0].as_array()[1]) for outputs in kept] == [2 * k + 1 for k in range(len(kept))]


def test_workers_that_cannot_be_started_say_what_to_do(limited: Any) -> None:
    pipe = build(lambda info: np.int32(info.idx_in_epoch), workers=5)
    limited()
    with pytest.raises(OSError, match="5 worker processes of external sources; raise the limit, `ulimit -n`"):
        pipe.start_py_workers()
