"""Cases: several inputs at once, seeds, and builds."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

from catalogue import Group
from pipelines import run, SETTINGS

case = Group("building")


def pairs(values: Any = ((1, 2), (3, 4), (5, 6)), dtype: Any = np.int32) -> Any:
    return fn.external_source(source=lambda: [np.array(value, dtype) for value in values])


@case.outputs
def multiple_input_sets() -> Any:
    a, b = pairs(), pairs()
    return fn.cast([a, b], dtype=types.FLOAT)


@case.outputs
def multiple_input_sets_stack() -> Any:
    a, b = pairs(), pairs()
    return fn.stack([a, b], [b, a])


@case.outputs
def multiple_input_sets_mismatch() -> Any:
    a, b = pairs(), pairs()
    return fn.stack([a, b], [b, a, a])


@case.outputs
def same_name_twice() -> Any:
    a = fn.cast(pairs(), dtype=types.FLOAT, name="n")
    b = fn.cast(pairs(), dtype=types.FLOAT, name="n")
    return a, b


@case
def seed_reproducible_pipeline() -> Any:
    def make():
        return run(lambda: fn.random.uniform(shape=[3]), seed=11)

    a, b = make(), make()
    return bool(np.array_equal(np.array(a[0].as_array()), np.array(b[0].as_array())))


@case
def pipeline_no_build_run() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return pairs()

    return define().run()


@case
def build_twice() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return pairs()

    pipeline = define()
    pipeline.build()
    pipeline.build()
    return pipeline.run()


@case
def generator_function_pipeline() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        yield pairs()

    pipeline = define()
    pipeline.build()
    return pipeline.run()


@case
def experimental_pipeline_definition() -> Any:
    from nvidia.dali.pipeline.experimental import pipeline_def as epd

    @epd(debug=False, enable_conditionals=True, **SETTINGS)
    def define():
        return pairs()

    pipeline = define()
    pipeline.build()
    return pipeline.run()
