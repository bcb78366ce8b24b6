"""Orders, running sums, and reductions that skip NaN. Equal elements keep their order; NaN comes last."""

from __future__ import annotations

from .._core import ArrayOperations as native
from .creation import into
from .ndarray import Axis, DType, NDArray, axes_of, dtype_name


def along(data: NDArray, axis: int | None) -> tuple[NDArray, int]:
    """The array and the axis to sort along; all elements in a row without one."""
    return (native.reshape(data, [-1]), 0) if axis is None else (data, axis)


def sort(data: NDArray, axis: int | None = -1, is_ascend: bool = True, out: NDArray | None = None) -> NDArray:
    """Sorted along an axis, or altogether with ``axis=None``."""
    lines, place = along(data, axis)
    return into(native.sort(lines, place, is_ascend), out)


def argsort(
    data: NDArray,
    axis: int | None = -1,
    is_ascend: bool = True,
    dtype: DType | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """The places of the elements in sorted order, as float32 unless told otherwise."""
    lines, place = along(data, axis)
    order = native.order(lines, place, lines.shape[place], is_ascend)
    return into(native.cast(order, dtype_name(dtype)), out)


def topk(
    data: NDArray,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: str = "indices",
    is_ascend: bool = False,
    dtype: DType | None = None,
    out: NDArray | None = None,
) -> NDArray | list[NDArray]:
    """The ``k`` greatest elements of each line (the least with ``is_ascend``; all with k=0): their places, values,
    both, or a mask of the array's shape."""
    lines, place = along(data, axis)
    count = k if k > 0 else lines.shape[place]
    if ret_typ == "mask":
        rank = native.order(native.order(lines, place, lines.shape[place], is_ascend), place, lines.shape[place], True)
        mask = native.with_scalar("lt", rank, float(count))
        return into(native.cast(native.reshape(mask, list(data.shape)), data.dtype_name), out)
    order = native.order(lines, place, count, is_ascend)
    if ret_typ == "value":
        return into(native.take_along_axis(lines, order, place), out)
    if ret_typ == "indices":
        return into(native.cast(order, dtype_name(dtype)), out)
    if ret_typ == "both":
        return [native.take_along_axis(lines, order, place), native.cast(order, dtype_name(dtype))]
    raise ValueError(f"topk: gives 'indices', 'value', 'both' or 'mask', not '{ret_typ}'")


def cumsum(a: NDArray, axis: int | None = None, dtype: DType | None = None, out: NDArray | None = None) -> NDArray:
    """Each element plus all before it along the axis; along all elements in a row without one."""
    lines, place = along(a, axis)
    if dtype is not None:
        lines = native.cast(lines, dtype_name(dtype))
    return into(native.cumsum(lines, place), out)


def argmax_channel(data: NDArray, out: NDArray | None = None) -> NDArray:
    """The place of the greatest element along the second axis."""
    return into(data.argmax(1), out)


def nansum(
    data: NDArray, axis: Axis = None, keepdims: bool = False, exclude: bool = False, out: NDArray | None = None
) -> NDArray:
    """The sum of all elements that are not NaN."""
    return into(native.function("replace_nan", data, 0.0).sum(axis, keepdims, exclude), out)


def nanprod(
    data: NDArray, axis: Axis = None, keepdims: bool = False, exclude: bool = False, out: NDArray | None = None
) -> NDArray:
    """The product of all elements that are not NaN."""
    return into(native.function("replace_nan", data, 1.0).prod(axis, keepdims, exclude), out)


def moments(data: NDArray, axes: Axis = None, keepdims: bool = False) -> tuple[NDArray, NDArray]:
    """The mean and the variance over axes."""
    mean = native.mean(data, axes_of(axes), True)
    variance = native.function("square", data - mean).mean(axes, keepdims)
    return (mean if keepdims else native.reshape(mean, list(variance.shape))), variance


def all_finite(data: NDArray, init_output: bool = True, out: NDArray | None = None) -> NDArray:
    """[1] when every element is a finite number, else [0]."""
    finite = native.function("isfinite", data)
    return into(native.cast(native.min(finite, []), "float32"), out)
