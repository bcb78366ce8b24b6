"""Arrays repeated, broadcast and padded."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

import numpy

from .._core import ArrayOperations as native
from .creation import into
from .indexing import dense_strides
from .ndarray import Axis, NDArray, Shape, array, axes_of
from .shapes import checked_axis


def repeated(data: NDArray, axis: int, times: int, together: bool) -> NDArray:
    """Each place of an axis several times in a row, or the axis as a whole (``together``)."""
    before, extent = math.prod(data.shape[:axis]), data.shape[axis]
    after = math.prod(data.shape[axis + 1 :])
    shape = [*data.shape[:axis], extent * times, *data.shape[axis + 1 :]]
    if together:
        flat = native.broadcast_to(native.reshape(data, [before, 1, extent * after]), (before, times, extent * after))
    else:
        flat = native.broadcast_to(
            native.reshape(data, [before * extent, 1, after]), (before * extent, times, after)
        )
    return native.reshape(flat, shape)


def tile(data: NDArray, reps: Shape, out: NDArray | None = None) -> NDArray:
    """The array side by side, ``reps[i]`` times along each axis i, counted from the last."""
    times = [reps] if isinstance(reps, int) else list(reps)
    rank = builtins.max(len(times), data.ndim)
    times = [1] * (rank - len(times)) + times
    result = native.reshape(data, [1] * (rank - data.ndim) + list(data.shape))
    if builtins.all(time == 1 for time in times):
        return into(native.copy(result), out)
    for axis, time in enumerate(times):
        if time != 1:
            result = repeated(result, axis, time, True)
    return into(result, out)


def repeat(data: NDArray, repeats: int, axis: int | None = None, out: NDArray | None = None) -> NDArray:
    """Each element, or each place of an axis, several times in a row."""
    if axis is None:
        return into(repeated(native.reshape(data, [-1]), 0, repeats, False), out)
    return into(repeated(data, checked_axis(axis, data.ndim), repeats, False), out)


def pad(
    data: NDArray,
    mode: str,
    pad_width: Sequence[int],
    constant_value: float = 0.0,
    out: NDArray | None = None,
) -> NDArray:
    """With a border: two widths for each axis. ``mode`` is 'constant', 'edge' or 'reflect' (which leaves the edge
    itself out)."""
    widths = [(pad_width[2 * axis], pad_width[2 * axis + 1]) for axis in range(len(pad_width) // 2)]
    if len(pad_width) != 2 * data.ndim or builtins.min(pad_width, default=0) < 0:
        raise ValueError(f"pad: two widths for each of {data.ndim} axes are needed, not {tuple(pad_width)}")
    if mode == "constant":
        shape = [extent + sum(width) for extent, width in zip(data.shape, widths, strict=True)]
        strides = dense_strides(shape)
        offset = sum(width[0] * stride for width, stride in zip(widths, strides, strict=True))
        return into(native.place_strided(data, shape, strides, offset, constant_value), out)
    if mode not in ("edge", "reflect"):
        raise ValueError(f"pad: the mode is 'constant', 'edge' or 'reflect', not '{mode}'")
    result = data
    for axis, width in enumerate(widths):
        if width != (0, 0):
            places = numpy.pad(numpy.arange(data.shape[axis]), width, "edge" if mode == "edge" else "reflect")
            result = native.take(result, array(places), axis, "clip")
    return into(native.copy(data) if result is data else result, out)


def broadcast_to(data: NDArray, shape: Shape, out: NDArray | None = None) -> NDArray:
    """Repeated along axes of extent 1; 0 keeps an axis."""
    wanted = [shape] if isinstance(shape, int) else list(shape)
    if len(wanted) == data.ndim:
        wanted = [extent or own for extent, own in zip(wanted, data.shape, strict=True)]
    result = native.broadcast_to(data, wanted)
    return into(native.copy(result) if result.shares_memory_with(data) else result, out)


def broadcast_axis(data: NDArray, axis: Axis = (), size: Shape = (), out: NDArray | None = None) -> NDArray:
    """Repeated along the axes named, of extent 1, to the sizes given."""
    sizes = [size] if isinstance(size, int) else list(size)
    shape = list(data.shape)
    for place, extent in zip(axes_of(axis), sizes, strict=True):
        if data.shape[place] != 1:
            raise ValueError(f"broadcast_axis: axis {place} of {data.shape} is not of extent 1")
        shape[place] = extent
    return broadcast_to(data, shape, out)


def broadcast_like(
    lhs: NDArray,
    rhs: NDArray,
    lhs_axes: Sequence[int] | None = None,
    rhs_axes: Sequence[int] | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Repeated to the shape of ``rhs``; with axes, to some of its extents."""
    if lhs_axes is None or rhs_axes is None:
        return broadcast_to(lhs, rhs.shape, out)
    shape = list(lhs.shape)
    for own, other in zip(lhs_axes, rhs_axes, strict=True):
        shape[own] = rhs.shape[other]
    return broadcast_to(lhs, shape, out)


broadcast_axes = broadcast_axis
Pad = pad
