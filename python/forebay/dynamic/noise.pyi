"""Generated from the operator table by tools/generate_stubs.py."""

import builtins
import collections.abc
from typing import Any

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from .batch import Batch
from .generators import RNG
from .reader import Reader
from .tensor import Tensor

TensorLike = Any
DeviceLike = Any

def gaussian(
    data: TensorLike,
    /,
    *,
    mean: float | Tensor | Batch = ...,
    stddev: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def salt_and_pepper(
    data: TensorLike,
    /,
    *,
    prob: float | Tensor | Batch = ...,
    salt_vs_pepper: float | Tensor | Batch = ...,
    per_channel: builtins.bool = ...,
    salt_val: float | Tensor | Batch = ...,
    pepper_val: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def shot(
    data: TensorLike,
    /,
    *,
    factor: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...
