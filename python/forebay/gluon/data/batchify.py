"""Samples to batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from ... import nd
from ...nd import NDArray


def stacked(samples: Sequence[Any]) -> Any:
    """Stacks arrays or numbers along a new axis; tuples member by member. Numbers get the type that NumPy gives
    them."""
    first = samples[0]
    if isinstance(first, NDArray):
        return nd.stack(*samples)
    if isinstance(first, (tuple, list)):
        return [stacked(members) for members in zip(*samples, strict=True)]
    return _array_of(samples)


def _array_of(samples: Sequence[Any]) -> NDArray:
    values = numpy.asarray(samples)
    if values.dtype == object:
        raise TypeError(f"samples of type {type(samples[0]).__name__} cannot be stacked; give a batchify_fn")
    return nd.array(values, dtype=values.dtype)


def to_numpy(batch: Any) -> Any:
    """A batch as NumPy's arrays, to be sent to another process."""
    if isinstance(batch, NDArray):
        return batch.asnumpy()
    if isinstance(batch, (tuple, list)):
        return [to_numpy(member) for member in batch]
    return batch


def from_numpy(batch: Any) -> Any:
    """NumPy's arrays as arrays over the same memory."""
    if isinstance(batch, numpy.ndarray):
        return nd.from_numpy(batch)
    if isinstance(batch, list):
        return [from_numpy(member) for member in batch]
    return batch
