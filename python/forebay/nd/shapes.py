"""Other shapes and orders of elements. Results are arrays of their own: only ``x[key]`` and ``x.reshape`` share
memory, as in MXNet."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

import numpy

from .._core import ArrayOperations as native
from .creation import into
from .indexing import dense_strides
from .ndarray import Axis, NDArray, Shape, array, axes_of, shape_from_the_right


def checked_axis(axis: int, dimensions: int) -> int:
    if not -dimensions <= axis < dimensions:
        raise ValueError(f"axis {axis} of an array of {dimensions} dimensions")
    return axis % dimensions


def reshaped(data: NDArray, shape: Sequence[int], out: NDArray | None = None) -> NDArray:
    """The elements in another shape, in memory of their own."""
    return into(native.copy(native.reshape(data, list(shape))), out)


def transpose(data: NDArray, axes: Sequence[int] | None = None, out: NDArray | None = None) -> NDArray:
    """Axis i of the result is axis ``axes[i]``; without ``axes`` all in reverse order."""
    return into(native.transpose(data, list(axes or [])), out)


def swapaxes(data: NDArray, dim1: int = 0, dim2: int = 0, out: NDArray | None = None) -> NDArray:
    """With two axes exchanged."""
    order = list(range(data.ndim))
    first, second = checked_axis(dim1, data.ndim), checked_axis(dim2, data.ndim)
    order[first], order[second] = order[second], order[first]
    return into(native.transpose(data, order), out)


def moveaxis(tensor: NDArray, source: Axis, destination: Axis) -> NDArray:
    """With axes moved to other places; the rest stays in order."""
    sources = [checked_axis(axis, tensor.ndim) for axis in axes_of(source)]
    targets = [checked_axis(axis, tensor.ndim) for axis in axes_of(destination)]
    order = [axis for axis in range(tensor.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return native.transpose(tensor, order)


def reshape(data: NDArray, shape: Shape = (), reverse: bool = False, out: NDArray | None = None) -> NDArray:
    """In another shape: 0 keeps an axis, -1 is inferred, -2 takes all remaining axes, -3 joins two, -4 splits one into
    the next two numbers. ``reverse`` reads both shapes from the right."""
    wanted = [shape] if isinstance(shape, int) else list(shape)
    if reverse:
        wanted = shape_from_the_right(data.shape, wanted)
    return reshaped(data, wanted, out)


def reshape_like(
    lhs: NDArray,
    rhs: NDArray,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """In the shape of ``rhs``; with bounds, some axes of ``lhs`` are replaced by some of ``rhs``."""
    left, right = builtins.slice(lhs_begin, lhs_end), builtins.slice(rhs_begin, rhs_end)
    begin, end, _ = left.indices(lhs.ndim)
    return reshaped(lhs, [*lhs.shape[:begin], *rhs.shape[right], *lhs.shape[end:]], out)


def expand_dims(data: NDArray, axis: int, out: NDArray | None = None) -> NDArray:
    """With one more axis of extent 1."""
    shape = list(data.shape)
    shape.insert(checked_axis(axis, data.ndim + 1), 1)
    return reshaped(data, shape, out)


def squeeze(data: NDArray, axis: Axis = None, out: NDArray | None = None) -> NDArray:
    """Without the axes of extent 1, or without those named, which must be of extent 1."""
    if axis is None:
        axes = [place for place, extent in enumerate(data.shape) if extent == 1]
    else:
        axes = [checked_axis(place, data.ndim) for place in axes_of(axis)]
        if builtins.any(data.shape[place] != 1 for place in axes):
            raise ValueError(f"axes {axes} of {data.shape} are not all of extent 1")
    return reshaped(data, [extent for place, extent in enumerate(data.shape) if place not in axes] or [1], out)


def flatten(data: NDArray, out: NDArray | None = None) -> NDArray:
    """As a matrix: the first axis stays, the others become one."""
    return reshaped(data, [data.shape[0], math.prod(data.shape[1:])], out)


def flip(data: NDArray, axis: Axis, out: NDArray | None = None) -> NDArray:
    """In reverse order along axes."""
    return into(native.flip(data, axes_of(axis)), out)


def concat(*data: NDArray, dim: int = 1, out: NDArray | None = None, num_args: int = 0) -> NDArray:
    """Joined along an axis."""
    return into(native.concat(data, dim), out)


def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Joined along an axis; a single array is given back as it is unless ``always_copy``."""
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    return native.concat(arrays, axis)


def stack(*data: NDArray, axis: int = 0, out: NDArray | None = None, num_args: int = 0) -> NDArray:
    """Joined along a new axis; all of one shape."""
    shapes = {item.shape for item in data}
    if len(shapes) != 1:
        raise ValueError(f"stack: arrays of one shape are needed, not {sorted(shapes)}")
    place = checked_axis(axis, data[0].ndim + 1)
    shape = list(data[0].shape)
    shape.insert(place, 1)
    return into(native.concat([native.reshape(item, shape) for item in data], place), out)


def diag(data: NDArray, k: int = 0, axis1: int = 0, axis2: int = 1, out: NDArray | None = None) -> NDArray:
    """The k-th diagonal of two axes, behind the others; of a vector the matrix that has it there."""
    if data.ndim == 1:
        size = data.shape[0] + abs(k)
        offset = k if k >= 0 else -k * size
        return into(native.place_strided(data, (size, size), [size + 1], offset, 0.0), out)
    rows, columns = checked_axis(axis1, data.ndim), checked_axis(axis2, data.ndim)
    strides = dense_strides(data.shape)
    top, left = builtins.max(0, -k), builtins.max(0, k)
    length = builtins.max(builtins.min(data.shape[rows] - top, data.shape[columns] - left), 0)
    others = [axis for axis in range(data.ndim) if axis not in (rows, columns)]
    result = native.strided_view(
        data,
        [*(data.shape[axis] for axis in others), length],
        [*(strides[axis] for axis in others), strides[rows] + strides[columns]],
        top * strides[rows] + left * strides[columns],
    )
    return into(native.copy(result) if result.shares_memory_with(data) else result, out)


def depth_to_space(data: NDArray, block_size: int, out: NDArray | None = None) -> NDArray:
    """Blocks of channels become blocks of pixels: (n, c b b, h, w) to (n, c, h b, w b)."""
    count, channels, height, width = data.shape
    size, rest = block_size, channels // block_size**2
    if rest * size**2 != channels:
        raise ValueError(f"depth_to_space: {channels} channels are not a multiple of {size} * {size}")
    blocks = native.reshape(data, [count, size, size, rest, height, width])
    moved = native.transpose(blocks, [0, 3, 4, 1, 5, 2])
    return into(native.reshape(moved, [count, rest, height * size, width * size]), out)


def space_to_depth(data: NDArray, block_size: int, out: NDArray | None = None) -> NDArray:
    """The inverse of depth_to_space."""
    count, channels, height, width = data.shape
    size = block_size
    if height % size != 0 or width % size != 0:
        raise ValueError(f"space_to_depth: {height} x {width} pixels cannot be cut into blocks of {size} x {size}")
    blocks = native.reshape(data, [count, channels, height // size, size, width // size, size])
    moved = native.transpose(blocks, [0, 3, 5, 1, 2, 4])
    return into(native.reshape(moved, [count, channels * size * size, height // size, width // size]), out)


def shape_array(data: NDArray, out: NDArray | None = None) -> NDArray:
    """The extents, as int64."""
    return into(array(numpy.asarray(data.shape, numpy.int64)), out)


def size_array(data: NDArray, out: NDArray | None = None) -> NDArray:
    """The number of elements, as int64."""
    return into(array(numpy.asarray([data.size], numpy.int64)), out)


reverse = flip
Concat = concat
Flatten = flatten
Reshape = reshape
SwapAxis = swapaxes
