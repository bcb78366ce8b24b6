"""``x[key]`` and ``x[key] = value``.

Integers, slices, None and Ellipsis name elements at even distances: a view where they lie one behind the other, else
a copy. Lists, NumPy arrays and NDArrays of integers choose elements with NumPy's rules, those of bools as masks; on
the left side all of them write in place. An NDArray of integers alone, or behind full slices, is not waited for;
what is out of range then is an error of the result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy
import numpy.typing

from .. import _core
from .._core import ArrayOperations as native

if TYPE_CHECKING:
    from .ndarray import NDArray

Places = numpy.typing.NDArray[numpy.int64]
FULL = slice(None)


def get(array: NDArray, key: Any) -> NDArray:
    part = first_axis_part(array, key)
    if part is not None:
        return part
    items = items_of(key)
    if all(is_basic(item) for item in items):
        layout = Layout(array.shape, items)
        return native.strided_view(array, layout.shape, layout.strides, layout.offset)
    axis = only_index_axis(items)
    if axis is not None:
        return native.take(array, index_array(items[axis], array, axis), axis, "raise")
    rows, row_shape = places_of(array.shape, items)
    if 0 in row_shape:
        return native.full((*rows.shape, *row_shape), 0.0, array.dtype_name)
    return native.gather_rows(array, from_places(rows, array), row_shape)


def set(array: NDArray, key: Any, value: Any) -> None:
    part = first_axis_part(array, key)
    if part is not None:
        write(part, value)
        return
    items = items_of(key)
    if all(is_basic(item) for item in items):
        layout = Layout(array.shape, items)
        native.assign_strided(as_operand(value, array), array, layout.shape, layout.strides, layout.offset)
        return
    if only_index_axis(items) == 0 and isinstance(items[0], _core.NDArrayBase):
        native.assign_rows(as_operand(value, array), items[0], array.shape[1:], array)
        return
    rows, row_shape = places_of(array.shape, items)
    if rows.size > 0 and 0 not in row_shape:
        native.assign_rows(as_operand(value, array), from_places(rows, array), row_shape, array)


def first_axis_part(array: NDArray, key: Any) -> NDArray | None:
    """The part as a view of the array's memory, where it is a run of the first axis; else None."""
    if key is Ellipsis:
        return array
    if isinstance(key, (int, numpy.integer)):
        return native.row(array, int(key))
    if isinstance(key, slice):
        begin, end, step = key.indices(len(array))
        if step == 1:
            return native.rows(array, begin, max(begin, end))
    return None


def write(part: NDArray, value: Any) -> None:
    """Fills a part that shares the array's memory."""
    if isinstance(value, (int, float, numpy.generic)):
        native.fill(part, float(value))
        return
    native.assign_strided(as_operand(value, part), part, part.shape, dense_strides(part.shape), 0)


def as_operand(value: Any, like: NDArray) -> NDArray:
    if isinstance(value, (int, float, numpy.generic)):
        return native.full((1,), float(value), like.dtype_name)
    return cast("NDArray", value) if isinstance(value, _core.NDArrayBase) else like._new(value, like.dtype_name)


def items_of(key: Any) -> list[Any]:
    items = list(key) if isinstance(key, tuple) else [key]
    return [item if is_basic(item) else as_index(item) for item in items]


def is_basic(item: Any) -> bool:
    return item is None or item is Ellipsis or isinstance(item, (int, numpy.integer, slice))


def as_index(item: Any) -> Any:
    """An array of integers or bools, on the host unless it is an NDArray of integers."""
    if isinstance(item, _core.NDArrayBase):
        return item if item.dtype_name != "bool" else item.asnumpy()
    if isinstance(item, (float, str)):
        raise ValueError(f"an NDArray is not indexed with {item!r} of type {type(item).__name__}")
    values = numpy.asarray(item)
    return values if values.dtype == numpy.bool_ else values.astype(numpy.int64)


def is_mask(item: Any) -> bool:
    return isinstance(item, numpy.ndarray) and item.dtype == numpy.bool_


def only_index_axis(items: Sequence[Any]) -> int | None:
    """The axis of the only array of integers, if all other axes are whole."""
    for axis, item in enumerate(items):
        if not is_basic(item):
            others = [*items[:axis], *items[axis + 1 :]]
            is_alone = all(isinstance(other, slice) and other == FULL for other in others)
            return axis if is_alone and not is_mask(item) else None
    return None


def index_array(item: Any, array: NDArray, axis: int) -> NDArray:
    """The index as an array. Integers on the host are checked at once, those of an NDArray when they are computed."""
    if axis >= array.ndim:
        raise too_many(axis + 1, array.ndim)
    if isinstance(item, numpy.ndarray):
        extent = array.shape[axis]
        wrong = item[(item < -extent) | (item >= extent)]
        if wrong.size > 0:
            raise out_of_bounds(int(wrong.flat[0]), axis, extent)
        return from_places(item, array)
    found: NDArray = item
    return found


def from_places(places: Places, like: NDArray) -> NDArray:
    return like._new(places)


def out_of_bounds(index: int, axis: int, extent: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")


def too_many(count: int, dimensions: int) -> IndexError:
    return IndexError(f"too many indices ({count}) for array with {dimensions} dimensions")


def dense_strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def axes_used(item: Any) -> int:
    """How many axes of the array an item of the key indexes."""
    if item is None:
        return 0
    return item.ndim if is_mask(item) else 1


def without_ellipsis(items: Sequence[Any], dimensions: int) -> list[Any]:
    used = sum(axes_used(item) for item in items if item is not Ellipsis)
    if used > dimensions:
        raise too_many(used, dimensions)
    places = [place for place, item in enumerate(items) if item is Ellipsis]
    if not places:
        return list(items)
    if len(places) > 1:
        raise IndexError("an index has at most one Ellipsis")
    return [*items[: places[0]], *[FULL] * (dimensions - used), *items[places[0] + 1 :]]


class Layout:
    """The elements that integers, slices, None and Ellipsis name: their shape, distances and first place."""

    def __init__(self, shape: Sequence[int], items: Sequence[Any]) -> None:
        self.shape: list[int] = []
        self.strides: list[int] = []
        self.offset = 0
        strides = dense_strides(shape)
        items = without_ellipsis(items, len(shape))
        axis = 0
        for item in items:
            if item is None:
                self.keep(1, 0)
                continue
            self.add(item, axis, shape[axis], strides[axis])
            axis += 1
        for rest in range(axis, len(shape)):
            self.keep(shape[rest], strides[rest])
        if not self.shape:
            self.keep(1, 1)

    def keep(self, extent: int, stride: int) -> None:
        self.shape.append(extent)
        self.strides.append(stride)

    def add(self, item: Any, axis: int, extent: int, stride: int) -> None:
        if isinstance(item, slice):
            start, stop, step = item.indices(extent)
            self.offset += start * stride
            self.keep(len(range(start, stop, step)), step * stride)
            return
        place = int(item) + extent if item < 0 else int(item)
        if not 0 <= place < extent:
            raise out_of_bounds(int(item), axis, extent)
        self.offset += place * stride


def places_of(shape: Sequence[int], items: Sequence[Any]) -> tuple[Places, tuple[int, ...]]:
    """The rows that an index with arrays names, by NumPy's rules, and what a row is: the axes that the index leaves
    alone at the end. NumPy itself subscripts the coordinates of the rows, which take no memory."""
    items = [item.asnumpy().astype(numpy.int64) if isinstance(item, _core.NDArrayBase) else item for item in items]
    used = sum(axes_used(item) for item in without_ellipsis(items, len(shape)))
    front = tuple(shape[:used])  # all axes where there is an Ellipsis, which may be of none
    places: Any = 0
    for axis, stride in enumerate(dense_strides(front)):
        line = numpy.arange(front[axis]).reshape([-1 if other == axis else 1 for other in range(used)])
        places = places + stride * numpy.broadcast_to(line, front)[tuple(items)]
    return numpy.atleast_1d(numpy.asarray(places, numpy.int64)), tuple(shape[used:])
