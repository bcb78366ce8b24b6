"""Cases: sources that run in processes of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
from nvidia.dali import pipeline_def

from catalogue import Group
from pipelines import run, SETTINGS

case = Group("sources")


def batch(value: Any, dtype: Any = np.int32, samples: int = 3) -> list[np.ndarray]:
    return [np.array([value, j], dtype) for j in range(samples)]


def from_source(*arguments: Any, runs: int = 1, pipeline: Any = None, **settings: Any) -> Any:
    return run(lambda: fn.external_source(*arguments, **settings), runs, **(pipeline or {}))


def place(info: Any) -> np.ndarray:
    return np.array([info.idx_in_epoch])


def failing(info: Any) -> np.ndarray:
    raise ValueError("own words")


def ending(info: Any) -> np.ndarray:
    if info.iteration > 1:
        raise StopIteration
    return np.array([info.idx_in_epoch, info.epoch_idx])


case.table(
    {
        "parallel_function": lambda: from_source(
            place, parallel=True, batch=False, runs=2, pipeline=dict(py_start_method="spawn", py_num_workers=1)
        ),
        "parallel_fork": lambda: from_source(
            place, parallel=True, batch=False, runs=2, pipeline=dict(py_start_method="fork", py_num_workers=1)
        ),
        "parallel_no_argument": lambda: from_source(
            lambda: batch(1), parallel=True, pipeline=dict(py_start_method="fork")
        ),
        "parallel_no_copy_false": lambda: from_source(
            place, parallel=True, batch=False, no_copy=False, pipeline=dict(py_start_method="fork")
        ),
        "prefetch_depth_no_parallel": lambda: from_source(lambda: batch(1), prefetch_queue_depth=2),
        "parallel_raises": lambda: from_source(
            failing, parallel=True, batch=False, runs=2, pipeline=dict(py_start_method="fork", py_num_workers=1)
        ),
    }
)


@case
def parallel_stop() -> Any:
    @pipeline_def(**SETTINGS, py_start_method="fork")
    def define():
        return fn.external_source(source=ending, parallel=True, batch=False)

    pipeline = define()
    pipeline.build()
    out = []
    for _ in range(6):
        try:
            out.append([np.array(x).tolist() for x in pipeline.run()[0]])
        except StopIteration:
            out.append("stop")
            pipeline.reset()
    return out
