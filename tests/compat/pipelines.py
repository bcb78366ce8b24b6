"""What most cases are made of: pipelines that run a few times, and nodes to begin with."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import nvidia.dali.fn as fn
from nvidia.dali import pipeline_def

SETTINGS: dict[str, Any] = {"batch_size": 3, "num_threads": 2, "device_id": None}


def run(body: Callable[[], Any], runs: int = 1, **settings: Any) -> Any:
    """The outputs of a pipeline with this body, or of several runs a list of them."""
    pipeline = pipeline_def(**SETTINGS | settings)(body)()
    pipeline.build()
    outputs = [pipeline.run() for _ in range(runs)]
    return outputs[0] if runs == 1 else outputs


def run_branches(body: Callable[[], Any], runs: int = 1, **settings: Any) -> Any:
    """The same with `enable_conditionals` and batches of four."""
    return run(body, runs, **{"batch_size": 4, "enable_conditionals": True} | settings)


def numbered(dtype: Any = np.int32) -> Any:
    """A node that gives each sample its place in the batch."""
    return fn.external_source(source=lambda info: np.array(info.idx_in_batch, dtype), batch=False)


def vectors() -> Any:
    """A node that gives each sample three numbers, from its place in the batch on."""
    return fn.external_source(source=lambda info: np.arange(3, dtype=np.int32) + info.idx_in_batch, batch=False)


def ones(shape: Any = (3, 4, 3), dtype: Any = np.uint8, layout: str | None = "HWC") -> Any:
    """A node that gives ones, by default three small pictures."""
    return fn.external_source(source=lambda: [np.ones(shape, dtype)] * 3, layout=layout)


def floats(shape: Any = (4,)) -> Any:
    return ones(shape, np.float32, None)
