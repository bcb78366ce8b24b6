"""Copies between frameworks: made where they may be, and counted."""

from __future__ import annotations

import threading

import numpy as np

from .. import _core
from .._core import Array

Copy = bool | None


class _Copies(threading.local):
    """The copies that this thread has made; `bytes_copied` counts those of all threads."""

    number = 0


_copies = _Copies()


def copies_made() -> int:
    """How many copies this thread has made by this module."""
    return _copies.number


def check_allowed(copy: Copy, reason: str) -> None:
    """BufferError when copies are not allowed."""
    if copy is False:
        raise BufferError(f"the memory cannot be shared without a copy: {reason}")


def count(size: int) -> None:
    """Counts a copy of so many bytes that a framework has made."""
    _copies.number += 1
    _core.count_copied(size)


def own(array: Array, copy: Copy, reason: str) -> Array:
    """A copy of `array`, needed because of `reason`; BufferError when copies are not allowed."""
    check_allowed(copy, reason)
    return array.copy()


def counted(array: np.ndarray, copy: Copy, reason: str) -> np.ndarray:
    """`array`, which a framework has just copied: counted, or BufferError."""
    check_allowed(copy, reason)
    count(array.nbytes)
    return array
