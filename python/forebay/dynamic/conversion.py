"""What users have as batches of one sample: arrays of NumPy, of `forebay.nd` and of other libraries, numbers, lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidError
from ..nd import NDArray
from ..tensors import TensorCPU, as_numpy
from .deferred import Future
from .dtypes import DType


def is_array(value: Any) -> bool:
    """Whether it is an array of some library, rather than a number or a list."""
    return isinstance(value, (np.ndarray, np.generic, TensorCPU, NDArray)) or any(
        hasattr(value, name) for name in ("__dlpack_device__", "__array__", "__array_interface__")
    )


def future_of_array(value: Any, layout: str, copy: bool) -> Future:
    """Of an array. Without `copy` its memory is used, wherever that can be."""
    if isinstance(value, NDArray):
        return Future.of_array(value, layout, False)
    if isinstance(value, TensorCPU):
        known = value.layout()
        if copy or (layout and layout != known):
            return Future.of(TensorCPU(value.as_array(), layout or known, copy), not copy)
        return Future.of(value, True)
    array = as_numpy(value)
    is_fresh = isinstance(value, np.generic) or (array is not value and array.flags.owndata)
    return Future.of(TensorCPU(array, layout, copy and not is_fresh), not (copy or is_fresh))


def _narrowed(array: np.ndarray) -> np.ndarray:
    """Python's numbers as 32 bits: int32, uint32 where only that has room, or float32."""
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype.kind in "iu" and array.itemsize == 8:
        low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
        kind = np.uint32 if low >= 0 and high > np.iinfo(np.int32).max else np.int32
        limits = np.iinfo(kind)
        if low < limits.min or high > limits.max:
            worst = low if low < limits.min else high
            raise OverflowError(f"{worst} does not fit into {limits.dtype}; give a `dtype`")
        return array.astype(kind)
    return array


def array_of_python(data: Any, dtype: DType | None) -> np.ndarray:
    """Numbers, bytes and nested lists, of other arrays too, as a fresh array. Without `dtype`, integers are int32 or uint32
    and floats float32."""
    if isinstance(data, bytes):
        return np.frombuffer(data, np.uint8).astype(np.uint8 if dtype is None else dtype.numpy_type)
    if data is None or isinstance(data, str):
        raise TypeError(f"a tensor is made of numbers or arrays, not of {data!r}")
    try:
        if dtype is not None:
            return np.array(data, dtype=dtype.numpy_type)
        array = np.array(data)
    except ValueError as error:
        raise InvalidError("a nested list whose parts differ in shape cannot become a tensor") from error
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{type(data).__name__} cannot become a tensor: it holds no numbers of one type")
    holds_arrays = isinstance(data, (list, tuple)) and any(map(is_array, data))
    return array if holds_arrays else _narrowed(array)


def future_of_python(data: Any, dtype: DType | None, layout: str) -> Future:
    """Of numbers and nested lists."""
    return Future.of(TensorCPU(array_of_python(data, dtype), layout), False)


_SCALARS: dict[type, Any] = {bool: np.bool_, int: np.int32, float: np.float32}
_scalars: dict[tuple[type, Any], Future] = {}
_MOST_SCALARS = 1024


def scalar(value: Any) -> Future:
    """Of a Python number, as an operand: bool, int32 or float32. Often used ones are kept."""
    kind = value.__class__
    key = (kind, value)
    made = _scalars.get(key)
    if made is None or (kind is float and value == 0.0):  # 0.0 and -0.0 are equal
        if kind is int and not -(2**31) <= value < 2**31:
            raise OverflowError(f"Integer {value} is out of range for int32.")
        made = Future.of(TensorCPU(np.array(value, dtype=_SCALARS[kind])), False)
        if len(_scalars) >= _MOST_SCALARS:
            _scalars.clear()
        _scalars[key] = made
    return made


def is_number(value: Any) -> bool:
    """Whether scalar() takes it."""
    return value.__class__ in _SCALARS
