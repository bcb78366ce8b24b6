"""Elements chosen by index arrays. Indices are of any type, their fractions cut off."""

from __future__ import annotations

from .._core import ArrayOperations as native
from .creation import into
from .ndarray import DType, NDArray, Shape, dtype_name


def take(a: NDArray, indices: NDArray, axis: int = 0, mode: str = "clip", out: NDArray | None = None) -> NDArray:
    """Places along an axis. Indices out of range go to the ends ('clip'), around ('wrap'), or are an error of the
    result ('raise')."""
    return into(native.take(a, indices, axis, mode), out)


def batch_take(a: NDArray, indices: NDArray, out: NDArray | None = None) -> NDArray:
    """One element of each row of a matrix."""
    if a.ndim != 2:
        raise ValueError(f"batch_take: a matrix is needed, not an array of {a.ndim} dimensions")
    return into(native.pick(a, indices, 1, False, "clip"), out)


def pick(
    data: NDArray,
    index: NDArray,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: str = "clip",
    out: NDArray | None = None,
) -> NDArray:
    """One element of each line along an axis; of all elements with ``axis=None``."""
    if axis is None:
        return into(native.take(native.reshape(data, [-1]), index, 0, mode), out)
    return into(native.pick(data, index, axis, keepdims, mode), out)


def gather_nd(data: NDArray, indices: NDArray, out: NDArray | None = None) -> NDArray:
    """Parts of the array; the first axis of ``indices`` holds their first coordinates."""
    return into(native.gather_nd(data, indices), out)


def scatter_nd(data: NDArray, indices: NDArray, shape: Shape, out: NDArray | None = None) -> NDArray:
    """Zeros with ``data`` at the coordinates; the last one where several meet."""
    return into(native.scatter_nd(data, indices, shape), out)


def one_hot(
    indices: NDArray,
    depth: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DType | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """``depth`` numbers for each index: ``on_value`` at its place, ``off_value`` elsewhere."""
    return into(native.one_hot(indices, depth, on_value, off_value, dtype_name(dtype)), out)


def where(condition: NDArray, x: NDArray, y: NDArray, out: NDArray | None = None) -> NDArray:
    """``x`` where the condition differs from 0, else ``y``; it has their shape or one number a row."""
    return into(native.where(condition, x, y), out)


choose_element_0index = batch_take
