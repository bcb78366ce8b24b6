"""Reductions over axes. Sums are computed in double precision: the norm of nine million numbers is right to the last
digit of float32."""

from __future__ import annotations

from .creation import into
from .ndarray import Axis, NDArray


def sum(data: NDArray, axis: Axis = None, keepdims: bool = False, exclude: bool = False, out: NDArray | None = None) -> NDArray:
    """The sum over the axes (all without ``axis``; all others with ``exclude``). All of it has the shape (1,)."""
    return into(data.sum(axis, keepdims, exclude), out)


def mean(data: NDArray, axis: Axis = None, keepdims: bool = False, exclude: bool = False, out: NDArray | None = None) -> NDArray:
    return into(data.mean(axis, keepdims, exclude), out)


def prod(data: NDArray, axis: Axis = None, keepdims: bool = False, exclude: bool = False, out: NDArray | None = None) -> NDArray:
    return into(data.prod(axis, keepdims, exclude), out)


def max(data: NDArray, axis: Axis = None, keepdims: bool = False, exclude: bool = False, out: NDArray | None = None) -> NDArray:
    return into(data.max(axis, keepdims, exclude), out)


def min(data: NDArray, axis: Axis = None, keepdims: bool = False, exclude: bool = False, out: NDArray | None = None) -> NDArray:
    return into(data.min(axis, keepdims, exclude), out)


def argmax(data: NDArray, axis: Axis = None, keepdims: bool = False, out: NDArray | None = None) -> NDArray:
    """The place of the greatest value, as a number of the array's type."""
    return into(data.argmax(axis, keepdims), out)


def argmin(data: NDArray, axis: Axis = None, keepdims: bool = False, out: NDArray | None = None) -> NDArray:
    return into(data.argmin(axis, keepdims), out)


def norm(data: NDArray, ord: int = 2, axis: Axis = None, keepdims: bool = False, out: NDArray | None = None) -> NDArray:
    """The square root of the sum of squares, or with ``ord=1`` the sum of magnitudes; of the array's type."""
    return into(data.norm(ord, axis, keepdims), out)


sum_axis = sum
max_axis = max
min_axis = min
