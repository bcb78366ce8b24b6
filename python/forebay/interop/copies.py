"""Copies between frameworks: made where they may be, and counted."""

from __future__ import annotations

import threading

import numpy as np

from .. import _core
from .._core import Array

Copy = bool | None


class _Copies(threading.local):
    """How many this thread has made here; the process's count of bytes has other threads' in it."""

    number = 0


_copies = _Copies()


def copies_made() -> int:
    """By this thread, in this module."""
    return _copies.number


def check_allowed(copy: Copy, reason: str) -> None:
    """BufferError when nothing may be copied."""
    if copy is False:
        raise BufferError(f"the memory cannot be shared without a copy: {reason}")


def count(size: int) -> None:
    """A copy of so many bytes that a framework has made."""
    _copies.number += 1
    _core.count_copied(size)


def own(array: Array, copy: Copy, reason: str) -> Array:
    """A copy of `array`, since `reason`; BufferError when none may be made."""
    check_allowed(copy, reason)
    return array.copy()


def counted(array: np.ndarray, copy: Copy, reason: str) -> np.ndarray:
    """`array`, which a framework has just copied: counted, or BufferError."""
    check_allowed(copy, reason)
    count(array.nbytes)
    return array
