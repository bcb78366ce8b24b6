"""What MXNet keeps in ``nd.contrib``."""

from __future__ import annotations

import math

import numpy

from .._core import ArrayOperations as native
from .creation import into
from .indexing import from_places
from .ndarray import NDArray


def boolean_mask(data: NDArray, index: NDArray, axis: int = 0, out: NDArray | None = None) -> NDArray:
    """The places along an axis where ``index`` differs from 0. Waits for ``index``, whose values decide
    how many there are."""
    flags = index.asnumpy()
    if flags.ndim != 1 or flags.shape[0] != data.shape[axis]:
        raise ValueError(f"boolean_mask: an index of {flags.shape} for axis {axis} of {data.shape}")
    return into(native.take(data, from_places(numpy.flatnonzero(flags), data), axis, "raise"), out)


def index_copy(old_tensor: NDArray, index_vector: NDArray, new_tensor: NDArray, out: NDArray | None = None) -> NDArray:
    """A copy with rows replaced: row index[i] by row i of ``new_tensor``."""
    index = native.reshape(index_vector, [1, -1])
    kept = native.scatter_nd(native.full(new_tensor.shape, 1.0, old_tensor.dtype_name), index, old_tensor.shape)
    return into(native.where(kept, native.scatter_nd(new_tensor, index, old_tensor.shape), old_tensor), out)


def arange_like(
    data: NDArray, start: float = 0.0, step: float = 1.0, repeat: int = 1, axis: int | None = None
) -> NDArray:
    """start, start + step... in the array's shape, or along one axis of it."""
    count = math.prod(data.shape) if axis is None else data.shape[axis]
    places = math.ceil(count / repeat)
    values = native.arange(start, start + places * step, step, repeat, data.dtype_name)
    return native.reshape(native.rows(values, 0, count), list(data.shape) if axis is None else [count])


def index_array(data: NDArray, axes: tuple[int, ...] | None = None) -> NDArray:
    """The coordinates of each element, along a new last axis (int64)."""
    chosen = range(data.ndim) if axes is None else axes
    return from_places(numpy.moveaxis(numpy.indices(data.shape)[list(chosen)], 0, -1), data)


def isnan(data: NDArray, out: NDArray | None = None) -> NDArray:
    """1 where data is NaN, else 0."""
    return into(native.function("isnan", data), out)


def isinf(data: NDArray, out: NDArray | None = None) -> NDArray:
    """1 where data is infinite, else 0."""
    return into(native.function("isinf", data), out)


def isfinite(data: NDArray, out: NDArray | None = None) -> NDArray:
    """1 where data is a finite number, else 0."""
    return into(native.function("isfinite", data), out)
