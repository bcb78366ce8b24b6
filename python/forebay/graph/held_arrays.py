"""Arrays that Python code gave and still has: it may fill them anew while they wait to be used."""

from __future__ import annotations

import sys
from typing import Any, Callable, Sequence

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


class Copies:
    """Takes what a source gives, with copies in the place of arrays that it may still write.

    :param room: gives memory of so many bytes for a copy, or None where it has none.
    """

    def __init__(self, room: Callable[[int], np.ndarray | None]) -> None:
        self._room = room

    def settled(self, get: Callable[[], Any], is_tuple: bool) -> Any:
        """What `get` gives.

        :param is_tuple: several arrays are wanted.
        """
        item = get()
        is_held = sys.getrefcount(item) > _ITEM
        if is_tuple and not isinstance(item, (list, tuple, np.ndarray)) and isinstance(item, Sequence):
            item = [*item]  # all of which may be held elsewhere
            is_held = True
        if not is_tuple or not isinstance(item, (list, tuple)):
            return self._copy(item) if _is_shared(item, is_held) else item
        counts = _counts_of_parts(item)
        are_shared = [_is_shared(part, is_held or count > _PART) for part, count in zip(item, counts)]
        parts = [self._copy(part) if is_shared else part for part, is_shared in zip(item, are_shared)]
        return tuple(parts) if isinstance(item, tuple) else parts

    def _copy(self, value: Any) -> Any:
        if isinstance(value, TensorCPU):
            return TensorCPU(self._copy_of_array(value.as_array()), value.layout())
        try:
            array = as_numpy(value)
        except Exception:  # whoever makes a tensor of it says so
            return value
        return self._copy_of_array(array)

    def _copy_of_array(self, array: np.ndarray) -> np.ndarray:
        memory = None if array.dtype.hasobject or array.nbytes == 0 else self._room(array.nbytes)
        if memory is None:
            return array.copy()
        copy = memory.view(array.dtype).reshape(array.shape)
        np.copyto(copy, array)
        return copy


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
    if isinstance(value, np.generic):
        return False
    names = ("__dlpack_device__", "__array_interface__", "__array__")
    return any(hasattr(value, name) for name in names) or _is_writable_buffer(value)


def _is_writable_buffer(value: Any) -> bool:
    """As those of `array`, `ctypes` and `mmap` are."""
    try:
        return not memoryview(value).readonly
    except TypeError:
        return False
