"""Cases: functions that define pipelines, what they are called with, and pipelines within each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
from nvidia.dali import Pipeline, pipeline_def
from nvidia.dali.pipeline import DataNode

from catalogue import Group
from pipelines import run, SETTINGS

case = Group("building")


def pairs(values: Any = ((1, 2), (3, 4), (5, 6)), dtype: Any = np.int32) -> Any:
    return fn.external_source(source=lambda: [np.array(value, dtype) for value in values])


@case
def user_argument_named_like_pipeline() -> Any:
    @pipeline_def(num_threads=1, device_id=None)
    def define(batch_size, a):
        return fn.constant(idata=a, shape=[])

    pipeline = define(batch_size=2, a=4)
    return pipeline.batch_size


@case
def definition_key_words_of_function() -> Any:
    @pipeline_def(**SETTINGS)
    def define(a, *, b=2, **kw):
        return pairs() + a + b + kw["c"]

    pipeline = define(1, b=3, c=5)
    pipeline.build()
    return pipeline.run()


@case
def definition_varying_arguments() -> Any:
    @pipeline_def(**SETTINGS)
    def define(*a):
        return pairs() + sum(a)

    pipeline = define(1, 2, 3)
    pipeline.build()
    return pipeline.run()


@case
def definition_bare() -> Any:
    @pipeline_def
    def define():
        return pairs()

    pipeline = define(**SETTINGS)
    pipeline.build()
    return pipeline.run()


@case
def definition_keeps_its_name() -> Any:
    @pipeline_def(**SETTINGS)
    def my_name():
        """my doc"""
        return pairs()

    return my_name.__name__, my_name.__doc__


@case
def definition_nested_helper() -> Any:
    def helper(x):
        return x + 1, x * 2

    def body():
        return helper(pairs())

    return run(body)


@case
def definition_method() -> Any:
    class C:
        k = 10

        @pipeline_def(**SETTINGS)
        def define(self):
            return pairs() + self.k

    pipeline = C().define()
    pipeline.build()
    return pipeline.run()


@case
def definition_call_conditionals() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        x = pairs(((1,), (2,), (3,)))
        if fn.reductions.sum(x) > 1:
            y = x + 10
        else:
            y = x
        return y

    pipeline = define(enable_conditionals=True)
    pipeline.build()
    return pipeline.run()


@case
def definition_call_conditionals_off() -> Any:
    @pipeline_def(enable_conditionals=True, **SETTINGS)
    def define():
        x = pairs(((1,), (2,), (3,)))
        if fn.reductions.sum(x) > 1:
            y = x + 10
        else:
            y = x
        return y

    pipeline = define(enable_conditionals=False)
    pipeline.build()
    return pipeline.run()


@case
def definition_call_debug() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return pairs() + 1

    pipeline = define(debug=True)
    pipeline.build()
    return pipeline.run()


@case
def definition_call_debug_false() -> Any:
    @pipeline_def(debug=True, **SETTINGS)
    def define():
        return pairs() + 1

    pipeline = define(debug=False)
    pipeline.build()
    return pipeline.run()


@case
def datanode_constructor() -> Any:
    n = DataNode("abc")
    return n.name, n.device, n.source is None


@case
def datanode_constructor_device() -> Any:
    n = DataNode("abc", "cpu", None)
    return n.name, n.device


@case
def pipeline_current() -> Any:
    pipeline = Pipeline(**SETTINGS)
    a = Pipeline.current() is None
    with pipeline:
        b = Pipeline.current() is pipeline
    return a, b, Pipeline.current() is None


@case
def pipeline_push_pop() -> Any:
    pipeline = Pipeline(**SETTINGS)
    Pipeline.push_current(pipeline)
    x = pairs()
    c = Pipeline.current() is pipeline
    Pipeline.pop_current()
    pipeline.set_outputs(x)
    pipeline.build()
    return pipeline.run(), c


@case
def nested_with() -> Any:
    pipeline = Pipeline(**SETTINGS)
    other = Pipeline(**SETTINGS)
    with pipeline:
        with other:
            y = pairs()
            other.set_outputs(y)
        x = pairs()
        pipeline.set_outputs(x + 1)
    pipeline.build()
    other.build()
    return pipeline.run(), other.run()


@case
def definition_within_definition() -> Any:
    @pipeline_def(**SETTINGS)
    def inner():
        return pairs()

    @pipeline_def(**SETTINGS)
    def outer():
        i = inner()
        i.build()
        i.run()
        return pairs() + 1

    pipeline = outer()
    pipeline.build()
    return pipeline.run()
