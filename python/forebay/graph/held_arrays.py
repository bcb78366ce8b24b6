"""Arrays that Python code gave and still has: it may fill them anew while they wait to be used."""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np

from ..tensors import TensorCPU, TensorListCPU, as_numpy


def _count_of_item(get: Callable[[], Any]) -> int:
    item = get()
    return sys.getrefcount(item)


def _counts_of_parts(item: Any) -> list[int]:
    return [sys.getrefcount(part) for part in item]


def _count_of_base(value: Any) -> int:
    base = value.base
    return sys.getrefcount(base)


# How many references the functions above see to what nobody else has.
_ITEM = _count_of_item(lambda: np.empty(1))
_PART = _counts_of_parts((np.empty(1),))[0]
_BASE = _count_of_base(np.empty((1, 1))[0])


def settled(get: Callable[[], Any], is_tuple: bool) -> Any:
    """What `get` gives, with copies in the place of arrays that whoever gave them may still write.

    :param is_tuple: several arrays are wanted.
    """
    item = get()
    is_held = sys.getrefcount(item) > _ITEM
    if not is_tuple or not isinstance(item, (list, tuple)):
        return _copy(item) if _is_shared(item, is_held) else item
    counts = _counts_of_parts(item)
    parts = [_copy(part) if _is_shared(part, is_held or count > _PART) else part for part, count in zip(item, counts)]
    return tuple(parts) if isinstance(item, tuple) else parts


def _is_shared(value: Any, is_held: bool) -> bool:
    """Whether a tensor over its memory may change; `is_held` when others refer to the value."""
    if isinstance(value, np.ndarray):
        if value.base is None:
            return is_held or not value.flags.owndata
        if isinstance(value.base, np.ndarray) and value.base.flags.owndata:
            return is_held or _count_of_base(value) > _BASE
        return not isinstance(value.base, bytes)
    if isinstance(value, (TensorCPU, TensorListCPU, memoryview, bytearray)):
        return True
    names = ("__dlpack_device__", "__array_interface__", "__array__")
    return not isinstance(value, np.generic) and any(hasattr(value, name) for name in names)


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, TensorCPU):
        return TensorCPU(value.as_array(), value.layout(), True)
    try:
        return np.array(as_numpy(value))
    except Exception:  # whoever makes a tensor of it says so
        return value
