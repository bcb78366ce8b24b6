"""New arrays."""

from __future__ import annotations

from typing import Any

import numpy

from .. import interop
from .._core import ArrayOperations as native
from .context import Context, checked
from .ndarray import DType, NDArray, Shape, dtype_name


def into(result: NDArray, out: NDArray | None) -> NDArray:
    """The result, or ``out`` with its values."""
    if out is None:
        return result
    native.copy_into(result, out)
    return out


def full(
    shape: Shape, val: float, ctx: Context | None = None, dtype: DType | None = None, out: NDArray | None = None
) -> NDArray:
    checked(ctx)
    return into(native.full(shape, val, dtype_name(dtype)), out)


def zeros(shape: Shape, ctx: Context | None = None, dtype: DType | None = None, **options: Any) -> NDArray:
    return full(shape, 0.0, ctx, dtype, options.get("out"))


def ones(shape: Shape, ctx: Context | None = None, dtype: DType | None = None, **options: Any) -> NDArray:
    return full(shape, 1.0, ctx, dtype, options.get("out"))


def empty(shape: Shape, ctx: Context | None = None, dtype: DType | None = None) -> NDArray:
    """Content unspecified."""
    checked(ctx)
    return native.empty(shape, dtype_name(dtype))


def zeros_like(data: NDArray) -> NDArray:
    return native.full(data.shape, 0.0, data.dtype_name)


def ones_like(data: NDArray) -> NDArray:
    return native.full(data.shape, 1.0, data.dtype_name)


def full_like(data: NDArray, fill_value: float) -> NDArray:
    return native.full(data.shape, fill_value, data.dtype_name)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    ctx: Context | None = None,
    dtype: DType | None = None,
) -> NDArray:
    """start, start + step, ... each ``repeat`` times; with one argument from 0 up to it."""
    checked(ctx)
    if stop is None:
        start, stop = 0, start
    return native.arange(start, stop, step, repeat, dtype_name(dtype))


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: DType | None = None,
) -> NDArray:
    """``num`` numbers at even distances from ``start`` to ``stop``, which is the last one unless told otherwise."""
    checked(ctx)
    values = numpy.linspace(start, stop, num, endpoint)
    return NDArray(values.astype(dtype_name(dtype)))


def eye(
    N: int,  # noqa: N803
    M: int = 0,  # noqa: N803
    k: int = 0,
    ctx: Context | None = None,
    dtype: DType | None = None,
) -> NDArray:
    """N x M (0: square) zeros with ones on the k-th diagonal."""
    checked(ctx)
    return NDArray(numpy.eye(N, M or N, k, dtype_name(dtype)))


def from_dlpack(source: Any) -> NDArray:
    """Shares the memory of any object that speaks DLPack, or of a capsule of DLPack, which can be taken once. Read-only
    memory is copied, as arrays can be written."""
    return NDArray(source if hasattr(source, "__dlpack__") else interop.from_dlpack(source), copy=False)


def to_dlpack_for_read(data: NDArray) -> object:
    """A capsule of DLPack over the array's memory, once it is computed; it can be taken once."""
    return data.__dlpack__()


def to_dlpack_for_write(data: NDArray) -> object:
    """As :func:`to_dlpack_for_read`: what is written there is the array's, and counts as written from now on."""
    capsule = data.__dlpack__()
    data.note_write()
    return capsule


def from_numpy(values: Any, zero_copy: bool = True) -> NDArray:
    """Shares the memory of a NumPy array unless ``zero_copy`` is False. A read-only array is copied."""
    return NDArray(values, copy=not zero_copy)
