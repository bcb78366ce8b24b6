"""Cases: operators as objects, made first and called later."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.ops as ops
import nvidia.dali.types as types
from nvidia.dali import Pipeline

from catalogue import Group
from files import one_file
from pipelines import run

case = Group("operator_objects")

OLD_NAMES = """ImageDecoder FileReader Uniform CoinFlip NormalDistribution HostDecoder ImageDecoderCrop MXNetReader
TFRecordReader COCOReader CaffeReader Caffe2Reader NumpyReader SequenceReader SSDRandomCrop BoxEncoder BbFlip BBoxPaste
RandomBBoxCrop ColorTwist CropMirrorNormalize""".split()


def pairs() -> Any:
    return fn.external_source(source=lambda: [np.arange(2, dtype=np.int32)] * 3)


case.table(
    {
        "unknown_constructor": lambda: ops.Cast(nonsense=1),
        "device": lambda: ops.Cast(dtype=types.FLOAT).device,
        "device_gpu": lambda: ops.Cast(dtype=types.FLOAT, device="gpu").device,
        "device_bad": lambda: ops.Cast(dtype=types.FLOAT, device="tpu").device,
        "schema": lambda: ops.Cast(dtype=types.FLOAT).schema.Name(),
        "preserve": lambda: (
            ops.Cast(dtype=types.FLOAT).preserve,
            ops.Cast(dtype=types.FLOAT, preserve=True).preserve,
        ),
        "positional_constructor": lambda: ops.Cast("gpu"),
        "key_words_device_positional": lambda: ops.Resize(device="cpu", size=[2, 2]).device,
        "compose_one": lambda: type(ops.Compose([ops.Cast(dtype=types.FLOAT)])).__name__,
        "cpu_operators": lambda: "Cast" in ops.cpu_ops() if callable(ops.cpu_ops) else None,
        "mixed_operators": lambda: "decoders__Image" in ops.mixed_ops(),
        "old_names": lambda: [hasattr(ops, n) for n in OLD_NAMES],
    }
)


@case
def called() -> Any:
    o = ops.Cast(dtype=types.FLOAT)
    return run(lambda: o(pairs()))


@case
def called_twice() -> Any:
    o = ops.Cast(dtype=types.FLOAT)
    return run(lambda: (o(pairs()), o(pairs())))


@case
def none_constructor_given_call() -> Any:
    o = ops.Pad(fill_value=None)
    return run(lambda: o(pairs(), fill_value=2, shape=[4]))


@case
def constructor_then_none_call() -> Any:
    o = ops.Pad(fill_value=2, shape=[4])
    return run(lambda: o(pairs(), fill_value=None))


@case
def constructor_and_call_conflict() -> Any:
    o = ops.Pad(fill_value=2, shape=[4])
    return run(lambda: o(pairs(), fill_value=3))


@case
def constructor_and_call_tensor() -> Any:
    o = ops.Pad(shape=[4])
    return run(lambda: o(pairs(), fill_value=fn.constant(fdata=3.0, shape=[])))


@case
def constructor_scalar_call_tensor() -> Any:
    o = ops.Pad(fill_value=2, shape=[4])
    return run(lambda: o(pairs(), fill_value=fn.constant(fdata=3.0, shape=[])))


@case
def call_only_argument() -> Any:
    o = ops.Cast()
    return run(lambda: o(pairs(), dtype=types.FLOAT))


@case
def missing_argument() -> Any:
    o = ops.Cast()
    return run(lambda: o(pairs()))


@case
def unknown_call() -> Any:
    o = ops.Cast(dtype=types.FLOAT)
    return run(lambda: o(pairs(), nonsense=1))


@case
def compose() -> Any:
    c = ops.Compose([ops.Cast(dtype=types.FLOAT), ops.Pad(fill_value=1, shape=[3])])
    return run(lambda: c(pairs()))


@case
def compose_nested() -> Any:
    c = ops.Compose([ops.Compose([ops.Cast(dtype=types.FLOAT)]), ops.Pad(fill_value=1, shape=[3])])
    return run(lambda: c(pairs()))


@case
def compose_callable() -> Any:
    c = ops.Compose([ops.Cast(dtype=types.FLOAT), lambda x: x + 1])
    return run(lambda: c(pairs()))


@case
def subclass_pipeline() -> Any:
    class P(Pipeline):
        def __init__(self, b, t, d):
            super().__init__(b, t, d, seed=12)
            self.src = ops.ExternalSource()
            self.pad = ops.Pad(shape=[4], fill_value=7)
            self.u = ops.random.Uniform(range=(2.0, 2.0))

        def define_graph(self):
            self.x = self.src()
            return [self.pad(self.x), self.u()]

        def iter_setup(self):
            self.feed_input(self.x, [np.arange(2, dtype=np.int32)] * 3)

    pipeline = P(3, 2, None)
    pipeline.build()
    return pipeline.run(), pipeline.run()


@case
def arithmetic_in_define_graph() -> Any:
    class P(Pipeline):
        def define_graph(self):
            return pairs() * 2 + 1

    pipeline = P(3, 2, None)
    pipeline.build()
    return pipeline.run()


@case
def name_argument() -> Any:
    o = ops.Cast(dtype=types.FLOAT)
    return run(lambda: o(pairs(), name="abc"))


@case
def name_constructor() -> Any:
    o = ops.Cast(dtype=types.FLOAT, name="abc")
    seen = []
    return run(lambda: (lambda n: (seen.append(n.name), n)[1])(o(pairs()))), seen


@case
def reader_operators() -> Any:
    o = ops.readers.File(files=[one_file()], labels=[3])
    return run(lambda: tuple(o(name="R")))


@case
def python_function_object() -> Any:
    o = ops.PythonFunction(lambda x: x + 1)
    return o.device, run(lambda: o(pairs()))


@case
def input_sets_out() -> Any:
    o = ops.Cast(dtype=types.FLOAT)
    return run(lambda: tuple(o([pairs(), pairs(), pairs()])))


@case
def call_no_input() -> Any:
    o = ops.Cast(dtype=types.FLOAT)
    return run(lambda: o())


@case
def too_many() -> Any:
    o = ops.Cast(dtype=types.FLOAT)
    return run(lambda: o(pairs(), pairs()))


@case
def constant_in() -> Any:
    o = ops.Cast(dtype=types.FLOAT)
    return run(lambda: (o(3), o([1, 2]), pairs()))
