"""Cases: sources of several outputs, and batches that are fed one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

from catalogue import Group
from pipelines import run, SETTINGS

case = Group("sources")


def batch(value: Any, dtype: Any = np.int32, samples: int = 3) -> list[np.ndarray]:
    return [np.array([value, j], dtype) for j in range(samples)]


def several(source: Any, count: int = 2, runs: int = 2, **settings: Any) -> Any:
    return run(lambda: tuple(fn.external_source(source, count, **settings)), runs)


def fed_in_turn(settings: Any, feeds: list[Any], runs: int) -> list[Any]:
    pipeline = pipeline_def(**SETTINGS)(lambda: fn.external_source(name="in", **settings))()
    pipeline.build()
    for feed in feeds:
        pipeline.feed_input("in", feed)
    return [pipeline.run() for _ in range(runs)]


case.table(
    {
        "two_outputs_tuple": lambda: several(lambda: (batch(1), batch(2))),
        "two_outputs_array": lambda: several(lambda: np.arange(12).reshape(2, 3, 2)),
        "one_output_in_a_tuple": lambda: several(lambda: (batch(1),), 1),
        "one_output_without_a_tuple": lambda: several(lambda: batch(1), 1),
        "too_few": lambda: several(lambda: (batch(1),)),
        "too_many": lambda: several(lambda: (batch(1), batch(2), batch(3))),
        "number_outputs_zero": lambda: several(lambda: (), 0),
        "two_outputs_sample": lambda: several(
            lambda s: (np.array([s.idx_in_epoch]), np.array([s.idx_in_batch], np.float32)), batch=False
        ),
        "two_outputs_layouts": lambda: several(lambda: (batch(1), batch(2)), layout=["A", "B"]),
        "two_outputs_one_layout": lambda: several(lambda: (batch(1), batch(2)), layout="A"),
        "too_few_layouts": lambda: several(lambda: (batch(1), batch(2)), layout=["A"]),
        "types_of_two_outputs": lambda: several(
            lambda: (batch(1), batch(2, np.float32)), dtype=[types.INT32, types.FLOAT]
        ),
        "wrong_types_of_two_outputs": lambda: several(
            lambda: (batch(1), batch(2, np.float32)), dtype=[types.FLOAT, types.FLOAT]
        ),
        "ranks_of_two_outputs": lambda: several(lambda: (batch(1), batch(2)), ndim=[1, 1]),
        "two_outputs_sizes_differ": lambda: several(lambda: (batch(1), batch(2, samples=2))),
        "dict_returned": lambda: several(lambda: {"a": batch(1), "b": batch(2)}),
        "repeat_last": lambda: fed_in_turn(dict(repeat_last=True), [batch(1)], 3),
        "repeat_last_two": lambda: fed_in_turn(dict(repeat_last=True), [batch(1), batch(2)], 4),
        "repeat_last_nothing": lambda: fed_in_turn(dict(repeat_last=True), [], 1),
        "feed_more_in_advance": lambda: fed_in_turn({}, [batch(1), batch(2), batch(3), batch(4)], 4),
        "feed_varying_batch": lambda: fed_in_turn({}, [batch(1), batch(2, samples=1), batch(3, samples=2)], 3),
        "feed_too_large": lambda: fed_in_turn({}, [batch(1, samples=5)], 1),
        "feed_changed_type": lambda: fed_in_turn({}, [batch(1), batch(2, np.float32)], 2),
        "feed_changed_rank": lambda: fed_in_turn({}, [batch(1), [np.zeros((1, 1), np.int32)] * 3], 2),
    }
)


case.outputs_table(
    {
        "number_outputs_no_source": lambda: tuple(fn.external_source(num_outputs=2)),
        "same_name_twice": lambda: (
            fn.external_source(source=lambda: batch(1), name="abc"),
            fn.external_source(source=lambda: batch(2), name="abc"),
        ),
    }
)


@case
def two_outputs_generator() -> Any:
    def inner():
        for i in range(2):
            yield (batch(i), batch(i + 10))

    return several(inner)


@case
def inner_pipeline_multi() -> Any:
    @pipeline_def(**SETTINGS)
    def ip():
        x = fn.external_source(source=lambda i: batch(i))
        return x, x + 1

    inner = ip()
    inner.build()
    return several(lambda: inner.run())
