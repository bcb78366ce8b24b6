"""Arrays of records of NumPy and ctypes: how they become an `Array`."""

from __future__ import annotations

import ctypes
from typing import Any, Mapping

import numpy as np

from .. import _core
from .._core import Array


def has_records(obj: Any) -> bool:
    """True for arrays of records: NumPy's structured arrays, arrays of ctypes' structures, and what was made of
    them."""
    if isinstance(obj, np.ndarray):
        return obj.dtype.names is not None
    if isinstance(obj, ctypes.Array):
        item = type(obj)._type_
        return isinstance(item, type) and issubclass(item, (ctypes.Structure, ctypes.Union))
    return isinstance(obj, Array) and bool(obj.fields)


def _check_arrays_of_records(array: Array, dtype: np.dtype, prefix: str = "", rank: int = 0) -> None:
    """Refuses arrays of records within records that end in padding: NumPy's buffer format does not mention it."""
    for name in dtype.names or ():
        base, shape = dtype[name].subdtype or (dtype[name], ())
        inner = base.names
        if inner is None:
            continue
        path = f"{prefix}{name}."
        _check_arrays_of_records(array, base, path, rank + len(shape))
        if shape:
            leaf = next(field for field in array.fields if field.startswith(path))
            axis = array.ndim + rank + len(shape) - 1
            if array.field(leaf).strides[axis] != base.itemsize:
                raise TypeError(f"NumPy's buffer format of {dtype} leaves out padding in '{prefix}{name}'")


def _check_members(dtype: np.dtype, prefix: str = "") -> None:
    """Refuses members of which NumPy gives no buffer, and names them."""
    fields: Mapping[str, Any] = dtype.fields or {}
    before, end = "", 0
    for name in sorted(dtype.names or (), key=lambda name: fields[name][1]):
        field, offset = fields[name][:2]
        path = f"{prefix}{name}"
        if offset < end:
            raise TypeError(f"'{before}' and '{path}' of the record overlap, as a union's members do: hand over one of them")
        if field.base.kind in "mM":
            raise TypeError(f"'{path}' of the record is {field.base}, which NumPy hands over only by itself")
        _check_members(field.base, f"{path}.")
        before, end = path, offset + field.itemsize


def array_of_records(obj: np.ndarray) -> Array:
    _check_members(obj.dtype)
    array = _core.array_of(obj)
    _check_arrays_of_records(array, obj.dtype)
    return array


def array_of_ctypes(obj: Any) -> np.ndarray:
    """By its type: the format of its buffer leaves padding out in some versions of Python."""
    return np.ndarray((), np.dtype(type(obj)), buffer=obj)
