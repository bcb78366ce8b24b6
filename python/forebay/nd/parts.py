"""Parts of arrays along axes: slices and splits, in memory of their own."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from .._core import ArrayOperations as native
from .creation import into
from .ndarray import Axis, NDArray, axes_of
from .shapes import checked_axis, squeeze

Bounds = Sequence[int | None]


def range_of(bounds: tuple[int | None, int | None, int | None], extent: int) -> tuple[int, int, int]:
    """Start, step and count of a part of an axis, by Python's rules."""
    start, stop, step = builtins.slice(*bounds).indices(extent)
    return start, step, len(range(start, stop, step))


def sliced(data: NDArray, ranges: Sequence[tuple[int, int, int]]) -> NDArray:
    starts, steps, counts = zip(*ranges, strict=True)
    return native.slice(data, list(starts), list(steps), list(counts))


def slice(
    data: NDArray, begin: Bounds | int, end: Bounds | int, step: Bounds | int = (), out: NDArray | None = None
) -> NDArray:
    """begin[i] to end[i] in steps of step[i] of each axis i; None: as far as there is."""
    bounds: list[Bounds] = [[value] if isinstance(value, int) else value for value in (begin, end, step)]
    filled = [[*values, *[None] * (data.ndim - len(values))] for values in bounds]
    if len(filled[0]) != data.ndim:
        raise ValueError(f"slice: bounds for {len(filled[0])} axes of an array of {data.ndim} dimensions")
    parts = zip(*filled, strict=True)
    ranges = [range_of((a, b, c), extent) for (a, b, c), extent in zip(parts, data.shape, strict=True)]
    return into(sliced(data, ranges), out)


def slice_axis(data: NDArray, axis: int, begin: int, end: int | None, out: NDArray | None = None) -> NDArray:
    """``begin`` to ``end`` of one axis; None: to its end."""
    place = checked_axis(axis, data.ndim)
    extent = data.shape[place]
    if end is not None and end > extent or begin >= extent or begin < -extent:
        raise IndexError(f"slice_axis: {begin} to {end} of axis {axis} with size {extent}")
    ranges = [(0, 1, size) for size in data.shape]
    ranges[place] = range_of((begin, end, None), extent)
    return into(sliced(data, ranges), out)


def slice_like(data: NDArray, shape_like: NDArray, axes: Axis = (), out: NDArray | None = None) -> NDArray:
    """The front part that has the other's extents along ``axes`` (all without)."""
    chosen = [checked_axis(axis, data.ndim) for axis in axes_of(axes)] or list(range(data.ndim))
    ranges = [(0, 1, extent) for extent in data.shape]
    for axis in chosen:
        if axis >= shape_like.ndim or shape_like.shape[axis] > data.shape[axis]:
            raise ValueError(f"slice_like: axis {axis} of {data.shape} cannot be that of {shape_like.shape}")
        ranges[axis] = (0, 1, shape_like.shape[axis])
    return into(sliced(data, ranges), out)


def split(
    data: NDArray, num_outputs: int, axis: int = 1, squeeze_axis: bool = False
) -> NDArray | list[NDArray]:
    """Equal parts along an axis, which goes away with ``squeeze_axis`` where they have one place; a single part is no
    list."""
    place = checked_axis(axis, data.ndim)
    extent = data.shape[place]
    if num_outputs < 1 or extent % num_outputs != 0:
        raise ValueError(f"split: axis {axis} with size {extent} is not cut into {num_outputs} equal parts")
    size = extent // num_outputs
    return parts_of(data, [size * part for part in range(1, num_outputs)], place, squeeze_axis)


def split_v2(
    ary: NDArray, indices_or_sections: int | Sequence[int], axis: int = 0, squeeze_axis: bool = False
) -> NDArray | list[NDArray]:
    """Parts along an axis: so many equal ones, or cut at the places given."""
    if isinstance(indices_or_sections, int):
        return split(ary, indices_or_sections, axis, squeeze_axis)
    return parts_of(ary, list(indices_or_sections), checked_axis(axis, ary.ndim), squeeze_axis)


def parts_of(data: NDArray, cuts: Sequence[int], axis: int, squeeze_axis: bool) -> NDArray | list[NDArray]:
    parts = []
    for begin, end in zip([0, *cuts], [*cuts, data.shape[axis]], strict=True):
        ranges = [(0, 1, extent) for extent in data.shape]
        ranges[axis] = range_of((begin, end, None), data.shape[axis])
        part = sliced(data, ranges)
        parts.append(squeeze(part, axis) if squeeze_axis else part)
    return parts[0] if len(parts) == 1 else parts


SliceChannel = split
crop = slice
