"""Cases: pipelines as bytes, and what checkpoints need."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import Pipeline, pipeline_def

import files
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
def serialize_roundtrip() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.cast(fn.external_source(name="in"), dtype=types.FLOAT)

    s = define().serialize()
    pipeline = Pipeline.deserialize(s, batch_size=3, num_threads=1, device_id=None)
    pipeline.build()
    pipeline.feed_input("in", np.ones((3, 2), np.int32))
    return pipeline.run(), type(s).__name__


@case
def serialize_equal() -> Any:
    def s():
        @pipeline_def(**SETTINGS, seed=1)
        def define():
            return fn.cast(fn.external_source(name="in"), dtype=types.FLOAT), fn.random.uniform()

        return define().serialize()

    return s() == s()


@case
def serialize_equal_unnamed() -> Any:
    def s():
        @pipeline_def(**SETTINGS, seed=1)
        def define():
            return fn.cast(fn.external_source(), dtype=types.FLOAT) + 1

        return define().serialize()

    return s() == s()


@case
def serialize_twice_equal() -> Any:
    pipeline = built()
    return pipeline.serialize() == pipeline.serialize()


@case
def serialize_file() -> Any:
    f = str(files.new_folder() / "written")

    @pipeline_def(**SETTINGS)
    def define():
        return fn.cast(fn.external_source(name="in"), dtype=types.FLOAT)

    define().serialize(filename=f)
    pipeline = Pipeline.deserialize(filename=f, batch_size=3, num_threads=1, device_id=None)
    pipeline.build()
    pipeline.feed_input("in", np.ones((3, 2), np.int32))
    return pipeline.run()


@case
def serialize_define_graph() -> Any:
    pipeline = Pipeline(**SETTINGS)
    s = pipeline.serialize(define_graph=lambda: fn.constant(idata=3, shape=[1]))
    other = Pipeline.deserialize(s)
    other.build()
    return other.run(), other.batch_size, other.num_threads


@case
def deserialize_and_build() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.constant(idata=3, shape=[1])

    pipeline = Pipeline(**SETTINGS)
    pipeline.deserialize_and_build(define().serialize())
    return pipeline.run()


@case
def deserialize_override() -> Any:
    @pipeline_def(**SETTINGS, seed=5)
    def define():
        return fn.constant(idata=3, shape=[1])

    pipeline = Pipeline.deserialize(define().serialize(), batch_size=2, num_threads=3, seed=9, prefetch_queue_depth=3)
    pipeline.build()
    return pipeline.run(), pipeline.batch_size, pipeline.num_threads, pipeline.seed, pipeline.prefetch_queue_depth


@case
def deserialize_keeps() -> Any:
    @pipeline_def(batch_size=4, num_threads=3, device_id=None, seed=5, prefetch_queue_depth=3)
    def define():
        return fn.constant(idata=3, shape=[1])

    pipeline = Pipeline.deserialize(define().serialize())
    pipeline.build()
    return (
        pipeline.batch_size,
        pipeline.num_threads,
        pipeline.seed,
        pipeline.prefetch_queue_depth,
        pipeline.device_id,
    )


@case
def checkpoint_unbuilt() -> Any:
    pipeline = counted(enable_checkpointing=True)
    return type(pipeline.checkpoint()).__name__


@case
def checkpoint_file() -> Any:
    f = str(files.new_folder() / "written")
    pipeline = built(enable_checkpointing=True)
    pipeline.run()
    c = pipeline.checkpoint(f)
    return os.path.exists(f)


@case
def checkpoint_bad() -> Any:
    pipeline = counted(enable_checkpointing=True, checkpoint="garbage")
    pipeline.build()
    return pipeline.run()


@case
def checkpoint_other_graph() -> Any:
    pipeline = built(enable_checkpointing=True)
    pipeline.run()
    c = pipeline.checkpoint()

    @pipeline_def(**SETTINGS, enable_checkpointing=True, checkpoint=c)
    def define():
        return fn.random.uniform(), fn.random.normal()

    r = define()
    r.build()
    return r.run()


@case
def checkpoint_no_argument_source() -> Any:
    @pipeline_def(**SETTINGS, enable_checkpointing=True)
    def define():
        return fn.external_source(source=lambda: [np.zeros(1)] * 3)

    pipeline = define()
    pipeline.build()
    pipeline.run()
    return type(pipeline.checkpoint()).__name__


@case
def checkpoint_iterable() -> Any:
    @pipeline_def(**SETTINGS, enable_checkpointing=True)
    def define():
        return fn.external_source(source=[[np.zeros(1)] * 3] * 3)

    pipeline = define()
    pipeline.build()
    pipeline.run()
    return type(pipeline.checkpoint()).__name__


@case
def checkpoint_feed() -> Any:
    @pipeline_def(**SETTINGS, enable_checkpointing=True)
    def define():
        return fn.external_source(name="in")

    pipeline = define()
    pipeline.build()
    pipeline.feed_input("in", np.zeros((3, 1)))
    pipeline.run()
    return type(pipeline.checkpoint()).__name__


def marked() -> Any:
    from nvidia.dali.plugin.triton import autoserialize

    @autoserialize
    @pipeline_def(**SETTINGS)
    def define():
        return fn.external_source(name="in") + 1

    return define


@case
def autoserialize_marks() -> Any:
    pipeline = marked()()
    pipeline.build()
    pipeline.feed_input("in", np.ones((3, 2), np.int32))
    return pipeline.run()


@case
def autoserialize_of_a_function() -> Any:
    from nvidia.dali.plugin.triton import autoserialize

    return autoserialize(lambda: 1)


@case
def autoserialize_of_a_module() -> Any:
    from nvidia.dali._utils.autoserialize import invoke_autoserialize

    head, part = ModuleType("head"), ModuleType("part")
    head.part = part  # type: ignore[attr-defined]
    part.define = marked()  # type: ignore[attr-defined]
    f = str(files.new_folder() / "marked")
    invoke_autoserialize(head, f)
    return Pipeline.deserialize(filename=f).max_batch_size


@case
def autoserialize_of_none() -> Any:
    from nvidia.dali._utils.autoserialize import invoke_autoserialize

    return invoke_autoserialize(ModuleType("head"), str(files.new_folder() / "none"))


@case
def serialize_python_function() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.python_function(fn.external_source(name="in"), function=lambda x: x)

    return define().serialize()


@case
def serialize_source_promises() -> Any:
    @pipeline_def(**SETTINGS)
    def define():
        return fn.flip(fn.external_source(name="in", layout="CHW"))

    pipeline = Pipeline.deserialize(define().serialize())
    pipeline.build()
    pipeline.feed_input("in", np.arange(36, dtype=np.uint8).reshape(3, 2, 2, 3))
    (out,) = pipeline.run()
    return out, out.layout()
