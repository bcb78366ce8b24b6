"""Cases: inputs that a script feeds, and epochs that end."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.ops as ops
import nvidia.dali.tensors as tensors
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

from catalogue import Group
from pipelines import run, SETTINGS

case = Group("sources")


def batch(value: Any, dtype: Any = np.int32, samples: int = 3) -> list[np.ndarray]:
    return [np.array([value, j], dtype) for j in range(samples)]


@case
def layout_kept_feed() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="in")

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("in", tensors.TensorListCPU(np.zeros((3, 2, 2, 1), np.uint8), layout="HWC"))
    return pipeline.run()


@case
def layout_feed_argument_n() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="in")

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("in", np.zeros((3, 2, 2, 1), np.uint8), layout="NHWC")
    return pipeline.run()


@case
def layout_feed_over_list() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="in")

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("in", tensors.TensorListCPU(np.zeros((3, 2, 2, 1), np.uint8), layout="HWC"), layout="ABC")
    return pipeline.run()


@case
def feed_type_wrong() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="in", dtype=types.FLOAT)

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("in", batch(1))
    return pipeline.run()


@case
def feed_rank_wrong() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="in", ndim=3)

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("in", batch(1))
    return pipeline.run()


@case.outputs
def two_outputs_names() -> Any:
    a, b = fn.external_source(lambda: (batch(1), batch(2)), 2, name="n")
    return a, b


@case
def repeat_last_varying_batch() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="a", repeat_last=True), fn.external_source(name="b", repeat_last=True)

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("a", batch(1))
    pipeline.feed_input("b", batch(2))
    a = pipeline.run()
    pipeline.feed_input("a", batch(5))
    return a, pipeline.run()


@case
def feed_alternate() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="in")

    pipeline = define(prefetch_queue_depth=1)
    pipeline.build()
    out = []
    for i in range(3):
        pipeline.feed_input("in", batch(i))
        out.append(pipeline.run())
    return out


@case
def two_cycle_raise() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return (
            fn.external_source([batch(0), batch(1)], cycle="raise"),
            fn.external_source([batch(10), batch(11)], cycle="raise"),
        )

    pipeline = define()
    pipeline.build()
    out = []
    for _ in range(8):
        try:
            out.append([np.array(o[0]).tolist() for o in pipeline.run()])
        except StopIteration:
            out.append("stop")
            pipeline.reset()
    return out


@case
def cycle_raise_no_reset() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source([batch(0), batch(1)], cycle="raise")

    pipeline = define()
    pipeline.build()
    out = []
    for _ in range(6):
        try:
            out.append([np.array(o[0]).tolist() for o in pipeline.run()])
        except StopIteration:
            out.append("stop")
    return out


@case
def stop_then_run_no_reset() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source([batch(0), batch(1)])

    pipeline = define()
    pipeline.build()
    out = []
    for _ in range(5):
        try:
            out.append([np.array(o[0]).tolist() for o in pipeline.run()])
        except StopIteration:
            out.append("stop")
    return out


@case
def reset_before_end() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source([batch(0), batch(1), batch(2)], cycle="raise")

    pipeline = define()
    pipeline.build()
    out = []
    for k in range(6):
        if k == 2:
            pipeline.reset()
        try:
            out.append([np.array(o[0]).tolist() for o in pipeline.run()])
        except StopIteration:
            out.append("stop")
            pipeline.reset()
    return out


@case
def operators_source() -> Any:
    s = ops.ExternalSource(source=lambda: batch(3))
    return run(lambda: s())


@case
def operators_source_call() -> Any:
    s = ops.ExternalSource()
    return run(lambda: s(source=lambda: batch(3)))


@case
def operators_source_twice() -> Any:
    s = ops.ExternalSource(source=lambda i: batch(i))
    return run(lambda: (s(), s()))


@case
def operators_source_number() -> Any:
    s = ops.ExternalSource(source=lambda: (batch(1), batch(2)), num_outputs=2)
    return run(lambda: tuple(s()))


@case
def sampleinfo_fields() -> Any:
    i = types.SampleInfo(1, 2, 3, 4)
    b = types.BatchInfo(5, 6)
    return i.idx_in_epoch, i.idx_in_batch, i.iteration, i.epoch_idx, b.iteration, b.epoch_idx


@case
def stopped_then_more() -> Any:
    @pipeline_def(batch_size=3, num_threads=1, device_id=None)
    def define():
        return fn.external_source([[np.array(k)] * 3 for k in range(2)], cycle="quiet")

    pipeline = define()
    pipeline.build()
    return [pipeline.run() for _ in range(5)]


@case
def after_error_again() -> Any:
    n = [0]

    def src(i):
        if i == 1:
            raise ValueError("x")
        return [np.array(i)] * 3

    @pipeline_def(batch_size=3, num_threads=1, device_id=None)
    def define():
        return fn.external_source(src)

    pipeline = define()
    pipeline.build()
    out = []
    for _ in range(3):
        try:
            out.append(pipeline.run())
        except Exception as e:
            out.append("error")
    return out


def fed_with_layout(declared: str | None, has: str) -> Any:
    pipeline = pipeline_def(**SETTINGS)(lambda: fn.external_source(name="fed", layout=declared))()
    pipeline.build()
    pipeline.feed_input("fed", tensors.TensorListCPU(np.zeros((2, 3, 4, 3), np.uint8), layout=has))
    return pipeline.run()[0].layout()


@case
def fed_another_layout_than_declared() -> Any:
    return fed_with_layout("CHW", "HWC")


@case
def fed_a_layout_where_none_is_declared() -> Any:
    return fed_with_layout("", "HWC")
