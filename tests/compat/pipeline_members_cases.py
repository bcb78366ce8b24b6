"""Cases: members and settings of pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import Pipeline, pipeline_def

from catalogue import Group
from pipelines import SETTINGS

case = Group("pipelines")


@pipeline_def(**SETTINGS)
def counted() -> Any:
    return fn.external_source(source=lambda i: [np.array([i, j], np.int32) for j in range(3)])


def built(**settings: Any) -> Any:
    pipeline = counted(**settings)
    pipeline.build()
    return pipeline


MEMBERS = """batch_size max_batch_size num_threads device_id exec_pipelined exec_async exec_dynamic stream_policy
concurrency set_affinity max_streams prefetch_queue_depth default_cuda_stream_priority
enable_memory_stats py_num_workers py_start_method exec_separated cpu_queue_size gpu_queue_size
is_restored_from_checkpoint num_outputs""".split()
CHOICES = {
    "exec_pipelined": False,
    "exec_async": False,
    "exec_dynamic": True,
    "set_affinity": True,
    "max_streams": 3,
    "prefetch_queue_depth": 4,
    "default_cuda_stream_priority": 2,
    "enable_memory_stats": True,
    "py_num_workers": 3,
    "py_start_method": "spawn",
    "bytes_per_sample": 100,
    "enable_checkpointing": True,
    "experimental_exec_dynamic": True,
    "exec_separated": True,
    "output_layout": "X",
    "output_dtype": types.INT32,
    "output_ndim": 1,
}


def after(setting: str) -> Any:
    """What a pipeline gives and says of itself, made with a setting."""
    pipeline = built(**{setting: CHOICES[setting]})
    return pipeline.run(), {member: getattr(pipeline, member) for member in MEMBERS}


case.table({f"member_{name}": lambda name=name: getattr(built(), name) for name in MEMBERS})
case.table({"members_before_it_is_built": lambda: {name: getattr(counted(), name) for name in MEMBERS}})
case.table({f"setting_{name}": lambda name=name: after(name) for name in CHOICES})


case.table(
    {
        "deserialize_garbage": lambda: Pipeline.deserialize(b"garbage" * 30),
        "deserialize_nothing": lambda: Pipeline.deserialize(),
        "checkpoint_not_enabled": lambda: built().checkpoint(),
    }
)
