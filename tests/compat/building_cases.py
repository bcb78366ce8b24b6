"""Cases: how pipelines are built, with operators inside and outside of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.ops as ops
import nvidia.dali.types as types
from nvidia.dali import Pipeline, pipeline_def

from catalogue import Group
from pipelines import SETTINGS

case = Group("building")


def pairs(values: Any = ((1, 2), (3, 4), (5, 6)), dtype: Any = np.int32) -> Any:
    return fn.external_source(source=lambda: [np.array(value, dtype) for value in values])


case.table(
    {
        "batch_size_zero": lambda: Pipeline(batch_size=0, num_threads=1, device_id=None).batch_size,
        "unknown_pipeline_argument": lambda: Pipeline(batch_size=1, num_threads=1, device_id=None, nonsense=3),
    }
)


@case
def operator_outside_then_set_outputs() -> Any:
    x = fn.random.uniform(range=(2, 2.0), shape=[2])
    pipeline = Pipeline(**SETTINGS)
    pipeline.set_outputs(x)
    pipeline.build()
    return pipeline.run()


@case
def operator_outside_arithmetic() -> Any:
    x = fn.constant(idata=[1, 2], shape=[2]) + 3
    pipeline = Pipeline(**SETTINGS)
    pipeline.set_outputs(x)
    pipeline.build()
    return pipeline.run()


@case
def source_outside_fed() -> Any:
    x = fn.external_source(name="in")
    pipeline = Pipeline(**SETTINGS)
    pipeline.set_outputs(x + 1)
    pipeline.build()
    pipeline.feed_input("in", [np.array([1], np.int32)] * 3)
    return pipeline.run()


@case
def source_outside_feed_by_node() -> Any:
    x = fn.external_source()
    pipeline = Pipeline(**SETTINGS)
    pipeline.set_outputs(x + 1)
    pipeline.build()
    pipeline.feed_input(x, [np.array([1], np.int32)] * 3)
    return pipeline.run()


@case
def source_and_cast_outside() -> Any:
    x = fn.external_source(source=lambda: [np.array([1], np.int32)] * 3)
    y = fn.cast(x, dtype=types.FLOAT)
    pipeline = Pipeline(**SETTINGS)
    pipeline.set_outputs(x, y)
    pipeline.build()
    return pipeline.run()


@case
def operators_outside() -> Any:
    c = ops.Cast(dtype=types.FLOAT)
    s = ops.ExternalSource(source=lambda: [np.array([1], np.int32)] * 3)
    pipeline = Pipeline(**SETTINGS)
    pipeline.set_outputs(c(s()))
    pipeline.build()
    return pipeline.run()


@case
def with_pipeline_set_outputs_inside() -> Any:
    pipeline = Pipeline(**SETTINGS)
    with pipeline:
        x = pairs()
        pipeline.set_outputs(x, x + 1)
    pipeline.build()
    return pipeline.run()


@case
def with_pipeline_set_outputs_outside() -> Any:
    pipeline = Pipeline(**SETTINGS)
    with pipeline:
        x = pairs()
    pipeline.set_outputs(x)
    pipeline.build()
    return pipeline.run()


@case
def subscript_outside() -> Any:
    x = fn.constant(idata=[4, 5, 6], shape=[3])[1:]
    pipeline = Pipeline(**SETTINGS)
    pipeline.set_outputs(x)
    pipeline.build()
    return pipeline.run()


@case
def define_graph_subclass() -> Any:
    class P(Pipeline):
        def __init__(self):
            super().__init__(3, 2, None)
            self.s = ops.ExternalSource()
            self.c = ops.Cast(dtype=types.FLOAT)

        def define_graph(self):
            self.x = self.s()
            return self.c(self.x), self.x

        def iter_setup(self):
            self.feed_input(self.x, [np.array([i], np.int32) for i in range(3)])

    pipeline = P()
    pipeline.build()
    return pipeline.run()


@case
def build_define_graph_argument() -> Any:
    pipeline = Pipeline(**SETTINGS)

    def inner():
        return pairs(), pairs()

    pipeline.serialize(define_graph=inner)
    pipeline.build()
    return pipeline.run()


@case
def no_outputs_set() -> Any:
    pipeline = Pipeline(**SETTINGS)
    pipeline.build()
    return pipeline.run()


@case
def set_outputs_twice() -> Any:
    pipeline = Pipeline(**SETTINGS)
    with pipeline:
        x = pairs()
        pipeline.set_outputs(x)
        pipeline.set_outputs(x + 5)
    pipeline.build()
    return pipeline.run()


@case
def set_outputs_after_build() -> Any:
    pipeline = Pipeline(**SETTINGS)
    with pipeline:
        x = pairs()
        pipeline.set_outputs(x)
    pipeline.build()
    pipeline.set_outputs(x + 1)
    return pipeline.run()


@case
def definition_call_overrides() -> Any:
    @pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=1)
    def define():
        return pairs(((1,), (2,), (3,), (4,)))

    pipeline = define(batch_size=4)
    pipeline.build()
    return pipeline.run(), pipeline.seed, pipeline.max_batch_size


@case
def definition_call_max_batch_size() -> Any:
    @pipeline_def(max_batch_size=2, num_threads=1, device_id=None)
    def define():
        return pairs(((1,), (2,)))

    pipeline = define()
    return pipeline.max_batch_size, pipeline.batch_size


@case
def definition_call_max_batch_size_over_batch() -> Any:
    @pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def define():
        return pairs(((1,), (2,), (3,)))

    pipeline = define(max_batch_size=3)
    pipeline.build()
    return pipeline.run(), pipeline.max_batch_size


@case
def definition_both_batch_sizes() -> Any:
    @pipeline_def(batch_size=2, max_batch_size=3, num_threads=1, device_id=None)
    def define():
        return pairs(((1,), (2,)))

    return define().max_batch_size


@case
def definition_both_batch_sizes_equal() -> Any:
    @pipeline_def(batch_size=2, max_batch_size=2, num_threads=1, device_id=None)
    def define():
        return pairs(((1,), (2,)))

    return define().max_batch_size


@case
def pipeline_no_batch_size() -> Any:
    pipeline = Pipeline(num_threads=1, device_id=None)
    pipeline.set_outputs(fn.constant(idata=1, shape=[]))
    pipeline.build()
    return pipeline.run()


@case
def pipeline_no_number_threads() -> Any:
    pipeline = Pipeline(batch_size=2, device_id=None)
    pipeline.set_outputs(fn.constant(idata=1, shape=[]))
    pipeline.build()
    return pipeline.run()


@case
def pipeline_no_device_id() -> Any:
    pipeline = Pipeline(batch_size=2, num_threads=1)
    pipeline.set_outputs(fn.constant(idata=1, shape=[]))
    pipeline.build()
    return pipeline.run()


@case
def batch_size_negative() -> Any:
    pipeline = Pipeline(batch_size=-1, num_threads=1, device_id=None)
    pipeline.set_outputs(fn.constant(idata=1, shape=[]))
    pipeline.build()


@case
def batch_size_float() -> Any:
    pipeline = Pipeline(batch_size=2.0, num_threads=1, device_id=None)
    pipeline.set_outputs(fn.constant(idata=1, shape=[]))
    pipeline.build()
    return pipeline.run()


@case
def unknown_call_argument() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return pairs()

    return define(nonsense=1)


@case
def missing_user_argument() -> Any:
    @pipeline_def(**SETTINGS)
    def define(a, b):
        return pairs()

    return define(1)
