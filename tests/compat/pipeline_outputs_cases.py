"""Cases: types and layouts that outputs are declared with, and the ways of running a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

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


@case
def queue_of_two_depths() -> Any:
    pipeline = counted(prefetch_queue_depth={"cpu_size": 3, "gpu_size": 2})
    pipeline.build()
    return (
        pipeline.exec_separated,
        pipeline.cpu_queue_size,
        pipeline.gpu_queue_size,
        pipeline.prefetch_queue_depth,
        pipeline.run(),
    )


@case
def queue_bad_type() -> Any:
    pipeline = counted(prefetch_queue_depth="a")
    pipeline.build()
    return pipeline.run()


@case
def pipelined_not_async() -> Any:
    pipeline = counted(exec_pipelined=False, exec_async=True)
    pipeline.build()
    return pipeline.run()


@case
def stream_policy_argument() -> Any:
    from nvidia.dali import StreamPolicy

    pipeline = counted(stream_policy=StreamPolicy.SINGLE)
    pipeline.build()
    return pipeline.stream_policy, pipeline.run()


@case
def concurrency_argument() -> Any:
    from nvidia.dali import OperatorConcurrency

    pipeline = counted(concurrency=OperatorConcurrency.FULL)
    pipeline.build()
    return pipeline.concurrency, pipeline.run()


@case
def bad_start_method() -> Any:
    pipeline = counted(py_start_method="nothing")
    pipeline.build()
    return pipeline.run()


@case
def output_type_list() -> Any:
    pipeline = counted(output_dtype=[types.INT32])
    pipeline.build()
    return pipeline.run(), pipeline.output_dtype()


@case
def output_type_wrong() -> Any:
    pipeline = counted(output_dtype=types.FLOAT)
    pipeline.build()
    return pipeline.run()


@case
def output_type_too_many() -> Any:
    pipeline = counted(output_dtype=[types.INT32, types.INT32])
    pipeline.build()
    return pipeline.run()


@case
def output_rank_wrong() -> Any:
    pipeline = counted(output_ndim=3)
    pipeline.build()
    return pipeline.run()


@case
def output_rank_negative() -> Any:
    pipeline = counted(output_ndim=-1)
    pipeline.build()
    return pipeline.run()


@case
def output_type_none_list() -> Any:
    pipeline = counted(output_dtype=[None], output_ndim=[None])
    pipeline.build()
    return pipeline.run(), pipeline.output_dtype(), pipeline.output_ndim()


@case
def output_type_numpy() -> Any:
    pipeline = counted(output_dtype=np.int32)
    pipeline.build()
    return pipeline.run()


@case
def output_layout_wrong() -> Any:
    pipeline = counted(output_layout="HWC")
    pipeline.build()
    return pipeline.run()


@case
def output_type_notype() -> Any:
    pipeline = counted(output_dtype=types.NO_TYPE)
    pipeline.build()
    return pipeline.run()


@case
def output_members_unset() -> Any:
    pipeline = built()
    return pipeline.output_dtype(), pipeline.output_ndim(), pipeline.output_layout()


@case
def number_outputs_two() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        x = fn.external_source(source=lambda: [np.zeros(1)] * 3)
        return x, x

    pipeline = define()
    pipeline.build()
    return pipeline.num_outputs


@case
def executor_statistics_enabled() -> Any:
    pipeline = built(enable_memory_stats=True)
    pipeline.run()
    s = pipeline.executor_statistics()
    return type(s).__name__


@case
def shared_memory_statistics() -> Any:
    pipeline = built()
    return pipeline.external_source_shm_statistics()


@case
def ways_of_running_unchecked() -> Any:
    pipeline = built()
    pipeline.enable_api_check(False)
    pipeline.run()
    pipeline.schedule_run()
    return pipeline.share_outputs()
