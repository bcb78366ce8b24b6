"""Cases: the ways of running a pipeline."""

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


@pipeline_def(**SETTINGS)
def fed() -> Any:
    return fn.external_source(name="in", repeat_last=False)


def built(**settings: Any) -> Any:
    pipeline = counted(**settings)
    pipeline.build()
    return pipeline


@case
def run_then_schedule() -> Any:
    pipeline = built()
    pipeline.run()
    pipeline.schedule_run()


@case
def schedule_then_run() -> Any:
    pipeline = built()
    pipeline.schedule_run()
    return pipeline.run()


@case
def share_and_release_then_run() -> Any:
    pipeline = built()
    pipeline.schedule_run()
    pipeline.share_outputs()
    pipeline.release_outputs()
    return pipeline.run()


@case
def run_then_outputs() -> Any:
    pipeline = built()
    pipeline.run()
    return pipeline.outputs()


@case
def schedule_share_release() -> Any:
    pipeline = built()
    out = []
    for _ in range(3):
        pipeline.schedule_run()
        o = pipeline.share_outputs()
        out.append([np.array(x).copy() for x in o[0]])
        pipeline.release_outputs()
    return out


@case
def share_without_schedule() -> Any:
    pipeline = built()
    return pipeline.share_outputs()


@case
def release_without_anything() -> Any:
    pipeline = built()
    return pipeline.release_outputs()


@case
def empty_member() -> Any:
    pipeline = built()
    a = pipeline.empty()
    pipeline.schedule_run()
    b = pipeline.empty()
    pipeline.share_outputs()
    c = pipeline.empty()
    pipeline.release_outputs()
    return a, b, c, pipeline.empty()


@case
def outputs_member() -> Any:
    pipeline = built()
    pipeline.schedule_run()
    return pipeline.outputs()


@case
def schedule_unbuilt() -> Any:
    pipeline = counted()
    pipeline.schedule_run()
    return pipeline.share_outputs()


@case
def run_cuda_stream_none() -> Any:
    pipeline = built()
    return pipeline.run(None)


@case
def run_key_words_input() -> Any:
    pipeline = fed()
    pipeline.build()
    return pipeline.run(**{"in": [np.array([1])] * 3})


@case
def run_key_words_unknown() -> Any:
    pipeline = built()
    return pipeline.run(nonsense=[np.array([1])] * 3)


@case
def run_key_words_prefetch1() -> Any:
    pipeline = fed(prefetch_queue_depth=1)
    pipeline.build()
    return pipeline.run(**{"in": np.ones((3, 2))}), pipeline.run(**{"in": np.zeros((3, 2))})


@case
def input_feed_count() -> Any:
    pipeline = fed()
    pipeline.build()
    return pipeline.input_feed_count("in")


@case
def input_feed_count_of_depth_four() -> Any:
    pipeline = fed(prefetch_queue_depth=4)
    pipeline.build()
    return pipeline.input_feed_count("in")


@case
def input_feed_count_of_an_unknown_input() -> Any:
    pipeline = fed()
    pipeline.build()
    return pipeline.input_feed_count("nonsense")


@case
def feed_unbuilt() -> Any:
    pipeline = fed()
    pipeline.feed_input("in", [np.array([1])] * 3)
    return pipeline.run()


@case
def feed_unknown() -> Any:
    pipeline = fed()
    pipeline.build()
    pipeline.feed_input("nonsense", [np.array([1])] * 3)


@case
def feed_not_node() -> Any:
    pipeline = fed()
    pipeline.build()
    pipeline.feed_input(5, [np.array([1])] * 3)


@case
def feed_not_source_name() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.cast(fn.external_source(name="in"), dtype=types.FLOAT, name="c")

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("c", [np.array([1])] * 3)


@case
def feed_with_source() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="in", source=lambda: [np.array([1])] * 3)

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("in", [np.array([2])] * 3)
    return pipeline.run()
