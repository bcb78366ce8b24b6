"""Batches cut for devices, norms of gradients."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from .. import nd
from ..nd import Context, NDArray

__all__ = ["clip_global_norm", "split_and_load", "split_data"]


def split_data(data: NDArray, num_slice: int, batch_axis: int = 0, even_split: bool = True) -> list[NDArray]:
    """Cuts a batch into ``num_slice`` parts. ValueError when they are not equal and ``even_split`` asks for that, or
    when there are fewer samples than parts; the rest goes to the last."""
    size = data.shape[batch_axis]
    if size < num_slice:
        raise ValueError(f"{size} samples cannot be cut into {num_slice} parts along axis {batch_axis}")
    if even_split and size % num_slice:
        raise ValueError(
            f"{size} samples along axis {batch_axis} cannot be cut into {num_slice} equal parts; even_split=False lets"
            " the last be greater"
        )
    step = size // num_slice
    ends = [*range(step, step * num_slice, step), size]
    return [_cut(data, batch_axis, end - step if end < size else step * (num_slice - 1), end) for end in ends]


def _cut(data: NDArray, axis: int, begin: int, end: int) -> NDArray:
    return data[begin:end] if axis == 0 else nd.slice_axis(data, axis=axis, begin=begin, end=end)


def split_and_load(
    data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True
) -> list[NDArray]:
    """Cuts a batch into one part per device and copies each there."""
    batch = data if isinstance(data, NDArray) else nd.array(data, ctx=ctx_list[0])
    if len(ctx_list) == 1:
        return [batch.as_in_context(ctx_list[0])]
    parts = split_data(batch, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(context) for part, context in zip(parts, ctx_list, strict=True)]


def clip_global_norm(arrays: Sequence[NDArray], max_norm: float, check_isfinite: bool = True) -> float | NDArray:
    """Scales arrays in place so that the norm of them all is at most ``max_norm``; returns the norm before.
    With ``check_isfinite`` it waits, returns a number, and warns if it is not finite."""
    if not arrays:
        raise ValueError("clip_global_norm: no arrays")
    total = nd.sqrt(sum((nd.sum(array * array) for array in arrays[1:]), nd.sum(arrays[0] * arrays[0])))
    scale = nd.minimum(max_norm / (total + 1e-8), 1.0)
    for array in arrays:
        array *= scale.astype(array.dtype)
    if not check_isfinite:
        return total
    norm = float(total.asscalar())
    if not math.isfinite(norm):
        warnings.warn("nan or inf among the gradients: clipping does not help them", stacklevel=2)
    return norm
