"""Cases: batches that are fed, graphs that are written, batches of other sizes."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
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
def feed_none() -> Any:
    pipeline = fed()
    pipeline.build()
    pipeline.feed_input("in", None)
    return pipeline.run()


@case
def run_without_feed() -> Any:
    pipeline = fed()
    pipeline.build()
    return pipeline.run()


@case
def feed_empty_list() -> Any:
    pipeline = fed()
    pipeline.build()
    pipeline.feed_input("in", [])
    return pipeline.run()


@case
def reset_simple() -> Any:
    pipeline = built()
    pipeline.run()
    pipeline.reset()
    return pipeline.run()


@case
def epoch_size_no_reader() -> Any:
    pipeline = built()
    return pipeline.epoch_size()


@case
def epoch_size_name() -> Any:
    pipeline = built()
    return pipeline.epoch_size("nonsense")


@case
def add_sink() -> Any:
    calls = []

    @pipeline_def(**SETTINGS)
    def define():
        x = fn.external_source(source=lambda i: [np.array([i, j], np.int32) for j in range(3)])
        y = fn.python_function(x, function=lambda a: calls.append(1) or a)
        from nvidia.dali.pipeline import Pipeline as P

        P.current().add_sink(y)
        return x

    pipeline = define()
    pipeline.build()
    r = pipeline.run()
    return r, len(calls) >= 3


@case
def start_py_workers() -> Any:
    pipeline = counted()
    pipeline.start_py_workers()
    pipeline.build()
    return pipeline.run()


@case
def output_stream() -> Any:
    pipeline = built()
    return pipeline.output_stream() is None


@case
def graph_written() -> Any:
    pipeline = built()
    f = tempfile.mktemp(dir="/tmp/v35.d")
    pipeline.save_graph_to_dot_file(f)
    return "digraph" in open(f).read()


@case
def graph_written_with_tensors() -> Any:
    pipeline = built()
    f = tempfile.mktemp(dir="/tmp/v35.d")
    pipeline.save_graph_to_dot_file(f, show_tensors=True, show_ids=True, use_colors=True)
    return "digraph" in open(f).read()


@case
def graph_written_before_it_is_built() -> Any:
    pipeline = counted()
    f = tempfile.mktemp(dir="/tmp/v35.d")
    pipeline.save_graph_to_dot_file(f)
    return "digraph" in open(f).read()


@case
def outputs_independent() -> Any:
    pipeline = built()
    a = pipeline.run()[0]
    a1 = np.array(a[0]).copy()
    pipeline.run()
    return a1


@case
def as_array_kinds() -> Any:
    pipeline = built()
    o = pipeline.run()[0]
    return o.as_array(), o.at(1), np.array(o.as_tensor()), o.shape(), len(o), o.dtype, o.layout()


@case
def pipeline_del_then_outputs() -> Any:
    pipeline = built()
    o = pipeline.run()
    del pipeline
    return o


@case
def variable_batch_with_random() -> Any:
    sizes = [3, 1, 2]

    @pipeline_def(**SETTINGS)
    def define():
        x = fn.external_source(source=lambda i: [np.array([i])] * sizes[i % 3])
        return x, fn.random.uniform(range=(1.0, 1.0)), fn.constant(idata=1, shape=[])

    pipeline = define()
    pipeline.build()
    return [pipeline.run() for _ in range(3)]


@case
def batch_too_large() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(source=lambda i: [np.array([i])] * 5)

    pipeline = define()
    pipeline.build()
    return pipeline.run()


@case
def two_sources_other_sizes() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return (
            fn.external_source(source=lambda i: [np.array([i])] * 3),
            fn.external_source(source=lambda i: [np.array([i])] * 2),
        )

    pipeline = define()
    pipeline.build()
    return pipeline.run()


@case
def two_sources_other_sizes_joined() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(source=lambda i: [np.array([i])] * 3) + fn.external_source(
            source=lambda i: [np.array([i])] * 2
        )

    pipeline = define()
    pipeline.build()
    return pipeline.run()
