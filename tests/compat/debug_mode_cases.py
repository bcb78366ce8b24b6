"""Cases: pipelines in debug mode."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.math as math
import nvidia.dali.ops as ops
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

from catalogue import Group
from files import one_file
from pipelines import run, SETTINGS

case = Group("debug_mode")

IS_DALI = "forebay" not in sys.modules


def debugged(body: Any, runs: int = 1, **settings: Any) -> Any:
    """DALI's debug mode wants a GPU's driver: without one, its pipeline as a whole says which values are right."""
    return run(body, runs, **settings) if IS_DALI else run(body, runs, debug=True, **settings)


def made(body: Any) -> Any:
    pipeline = pipeline_def(**SETTINGS, **({} if IS_DALI else {"debug": True}))(body)()
    pipeline.build()
    return pipeline


def pairs() -> Any:
    return fn.external_source(source=lambda: [np.arange(2, dtype=np.int32) + k for k in range(3)])


case.table(
    {
        "one_output": lambda: debugged(lambda: pairs() + 1),
        "several_outputs": lambda: debugged(lambda: (pairs(), fn.cast(pairs(), dtype=types.FLOAT) * 2, pairs()[0])),
        "output_constant": lambda: debugged(lambda: (pairs(), 5)),
        "output_array": lambda: debugged(lambda: (pairs(), np.arange(3))),
        "output_none": lambda: debugged(lambda: None),
        "output_str": lambda: debugged(lambda: "a"),
        "arithmetic": lambda: debugged(
            lambda: (
                pairs() + 1,
                2 - pairs(),
                pairs() * 2.5,
                pairs() / 2,
                pairs() // 2,
                -pairs(),
                pairs() > 1,
                (pairs() > 0) & (pairs() < 2),
                pairs() ** 2,
                abs(pairs() - 1),
                math.sqrt(pairs()),
                math.max(pairs(), 1),
            )
        ),
        "arithmetic_error": lambda: debugged(lambda: pairs() + fn.constant(idata=[1, 2, 3], shape=[3])),
        "operator_error": lambda: debugged(lambda: fn.crop(pairs(), crop=(9, 9))),
        "unknown_argument": lambda: debugged(lambda: fn.cast(pairs(), nonsense=2)),
        "missing_argument": lambda: debugged(lambda: fn.cast(pairs())),
        "python_function": lambda: debugged(lambda: fn.python_function(pairs(), function=lambda x: x * 3)),
        "python_function_two": lambda: debugged(
            lambda: tuple(fn.python_function(pairs(), function=lambda x: (x, x * 3), num_outputs=2))
        ),
        "python_function_batch": lambda: debugged(
            lambda: fn.python_function(pairs(), function=lambda x: x, batch_processing=True)
        ),
        "input_sets": lambda: debugged(lambda: tuple(fn.cast([pairs(), pairs()], dtype=types.FLOAT))),
        "cpu": lambda: debugged(lambda: pairs().cpu()),
        "operators_object": lambda: debugged(lambda: ops.Cast(dtype=types.FLOAT)(pairs())),
        "type_numpy": lambda: debugged(lambda: types.Constant(np.array([1, 2])) + pairs()),
        "subscript_newaxis": lambda: debugged(lambda: pairs()[1:]),
        "bool_node": lambda: debugged(lambda: bool(pairs())),
    }
)


@case
def several_runs() -> Any:
    def body():
        return fn.external_source(source=lambda i: [np.array(i)] * 3, name="a")

    return debugged(body, 3)


@case
def feed() -> Any:
    def body():
        return fn.external_source(name="in") + 1

    pipeline = made(body)
    pipeline.feed_input("in", [np.array([1])] * 3)
    return pipeline.run()


@case
def condition() -> Any:
    def body():
        x = fn.external_source(source=lambda: [np.array(k) for k in range(3)])
        if x > 0:
            y = x + 10
        else:
            y = x
        return y

    return debugged(body, enable_conditionals=True)


@case
def no_condition() -> Any:
    def body():
        x = fn.external_source(source=lambda: [np.array(k) for k in range(3)])
        if x > 0:
            y = x + 10
        else:
            y = x
        return y

    return debugged(body)


@case
def two_outputs_source() -> Any:
    def body():
        a, b = fn.external_source(source=lambda: ([np.array(1)] * 3, [np.array(2)] * 3), num_outputs=2)
        return a, b

    return debugged(body)


@case
def reader() -> Any:
    def body():
        a, b = fn.readers.file(files=[one_file()], labels=[4], name="R")
        return b

    pipeline = made(body)
    a = pipeline.run()
    return a, pipeline.run()


@case
def reader_meta() -> Any:
    def body():
        a, b = fn.readers.file(files=[one_file()], labels=[4], name="R")
        return b

    pipeline = made(body)
    pipeline.run()
    return pipeline.reader_meta("R")


@case
def epoch_size() -> Any:
    def body():
        a, b = fn.readers.file(files=[one_file()], labels=[4], name="R")
        return b

    pipeline = made(body)
    pipeline.run()
    return pipeline.epoch_size("R")


@case
def varying_batch() -> Any:
    def body():
        return fn.external_source(source=lambda i: [np.array(i)] * (1 + i % 3)) + 1

    return debugged(body, 3)


@case
def sizes_differ() -> Any:
    def body():
        return fn.external_source(source=lambda i: [np.array(i)] * 2) + fn.external_source(
            source=lambda i: [np.array(i)] * 3
        )

    return debugged(body)


@case
def operators_object_outside() -> Any:
    c = ops.Cast(dtype=types.FLOAT)
    return debugged(lambda: c(pairs()))


@case
def operator_in_loop() -> Any:
    def body():
        x = pairs()
        for k in range(3):
            x = x + k
        return x

    return debugged(body, 2)
