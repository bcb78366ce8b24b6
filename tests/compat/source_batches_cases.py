"""Cases: what a source may give, its types and layouts."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.tensors as tensors
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

from catalogue import Group
from pipelines import ones, run, SETTINGS

case = Group("sources")


def batch(value: Any, dtype: Any = np.int32, samples: int = 3) -> list[np.ndarray]:
    return [np.array([value, j], dtype) for j in range(samples)]


def from_source(*arguments: Any, runs: int = 1, pipeline: Any = None, **settings: Any) -> Any:
    return run(lambda: fn.external_source(*arguments, **settings), runs, **(pipeline or {}))


TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()


case.outputs_table({"every_type": lambda: tuple(ones((2,), name, None) for name in TYPES)})


case.table(
    {
        "array_batch": lambda: from_source(lambda: np.arange(6, dtype=np.float32).reshape(3, 2)),
        "array_batch_scalar": lambda: from_source(lambda: np.arange(3, dtype=np.float32)),
        "array_batch_smaller": lambda: from_source(lambda: np.arange(2, dtype=np.float32)),
        "array_batch_larger": lambda: from_source(lambda: np.arange(4, dtype=np.float32)),
        "list_of_scalars": lambda: from_source(lambda: [1, 2, 3]),
        "list_of_numpy_scalars": lambda: from_source(lambda: [np.int16(1), np.int16(2), np.int16(3)]),
        "list_mixed_type": lambda: from_source(
            lambda: [np.zeros(1, np.int32), np.zeros(1, np.float32), np.zeros(1, np.int32)]
        ),
        "list_mixed_rank": lambda: from_source(
            lambda: [np.zeros(1, np.int32), np.zeros((1, 1), np.int32), np.zeros(1, np.int32)]
        ),
        "list_ragged": lambda: from_source(lambda: [np.zeros(k, np.int32) for k in range(3)]),
        "none_batch": lambda: from_source(lambda: None),
        "string_batch": lambda: from_source(lambda: ["a", "b", "c"]),
        "bytes_batch": lambda: from_source(lambda: [b"a", b"bb", b"ccc"]),
        "object_array": lambda: from_source(lambda: [np.array([None])] * 3),
        "string_array": lambda: from_source(lambda: [np.array(["a"])] * 3),
        "complex_array": lambda: from_source(lambda: [np.zeros(2, np.complex64)] * 3),
        "fortran": lambda: from_source(lambda: [np.asfortranarray(np.arange(6).reshape(2, 3))] * 3),
        "strided": lambda: from_source(lambda: [np.arange(10)[::2]] * 3),
        "negative_strided": lambda: from_source(lambda: [np.arange(10)[::-1]] * 3),
        "big_endian": lambda: from_source(lambda: [np.arange(3, dtype=">i4")] * 3),
        "zero_size": lambda: from_source(lambda: [np.zeros((0, 3), np.float32)] * 3),
        "empty_batch": lambda: from_source(lambda: []),
        "list_of_tensors": lambda: from_source(lambda: [tensors.TensorCPU(np.zeros((2, 2), np.float32), "HW")] * 3),
        "tensor_batch": lambda: from_source(lambda: tensors.TensorCPU(np.zeros((3, 2), np.float32), "NW")),
        "layout_argument": lambda: from_source(lambda: [np.zeros((2, 2, 1), np.uint8)] * 3, layout="HWC"),
        "layout_wrong_rank": lambda: from_source(lambda: [np.zeros((2, 2), np.uint8)] * 3, layout="HWC"),
        "layout_empty": lambda: from_source(lambda: [np.zeros((2, 2), np.uint8)] * 3, layout=""),
        "layout_other_than_list": lambda: from_source(
            lambda: tensors.TensorListCPU(np.zeros((3, 2, 2, 1), np.uint8), layout="HWC"), layout="CHW"
        ),
        "type_wrong": lambda: from_source(lambda: batch(1), dtype=types.FLOAT),
        "type_numpy_argument": lambda: from_source(lambda: batch(1), dtype=np.int32),
        "type_bad_argument": lambda: from_source(lambda: batch(1), dtype="nonsense"),
        "rank_wrong": lambda: from_source(lambda: batch(1), ndim=2),
        "rank_negative": lambda: from_source(lambda: batch(1), ndim=-1),
        "rank_layout_conflict": lambda: from_source(lambda: batch(1), ndim=1, layout="HW"),
        "repeat_last_source": lambda: from_source(lambda: batch(1), repeat_last=True),
        "no_copy": lambda: from_source(lambda: batch(1), no_copy=True),
        "source_changed_type": lambda: from_source(lambda i: batch(i, np.int32 if i == 0 else np.float32), runs=2),
        "source_changed_rank": lambda: from_source(lambda i: [np.zeros((1,) * (i + 1))] * 3, runs=2),
        "unknown_argument": lambda: from_source(lambda: batch(1), nonsense=1),
    }
)


@case
def partial_source() -> Any:
    def body(a, i):
        return batch(a + i)

    return from_source(functools.partial(body, 10), runs=2)


@case
def callable_object() -> Any:
    class C:
        def __call__(self, i):
            return batch(i)

    return from_source(C(), runs=2)


@case
def readonly() -> Any:
    a = np.arange(3)
    a.flags.writeable = False
    return from_source(lambda: [a] * 3)


@case
def tensor_list_source() -> Any:
    t = tensors.TensorListCPU(np.zeros((3, 2, 2), np.float32), layout="HW")
    return from_source(lambda: t)


@case
def source_raises() -> Any:
    def body():
        raise ValueError("own words")

    return from_source(body)


@case
def source_raises_custom() -> Any:
    class Own(Exception):
        pass

    def body():
        raise Own("own words")

    return from_source(body)


@case
def source_raises_second() -> Any:
    def body(i):
        if i == 1:
            raise KeyError("own")
        return batch(i)

    return from_source(body, runs=2)


@case
def source_raises_indexerror() -> Any:
    def body(i):
        raise IndexError("own")

    return from_source(body)


@case
def inner_pipeline() -> Any:
    inner = pipeline_def(**SETTINGS)(lambda: fn.external_source(source=lambda i: batch(i)) * 2)()
    inner.build()
    return from_source(lambda: inner.run()[0], runs=3)


@case
def torch_like_dlpack() -> Any:
    class D:
        def __init__(self, a):
            self.a = a

        def __dlpack__(self, **kw):
            return self.a.__dlpack__()

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

        @property
        def shape(self):
            return self.a.shape

    return from_source(lambda: [D(np.arange(3))] * 3)


@case
def array_interface() -> Any:
    class D:
        def __init__(self, a):
            self.a = a

        @property
        def __array_interface__(self):
            return self.a.__array_interface__

    return from_source(lambda: [D(np.arange(3))] * 3)


@case
def array_method() -> Any:
    class D:
        def __init__(self, a):
            self.a = a

        def __array__(self, dtype=None, copy=None):
            return self.a

    return from_source(lambda: [D(np.arange(3))] * 3)
