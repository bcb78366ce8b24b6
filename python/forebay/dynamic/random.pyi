"""Generated from the operator table by tools/generate_stubs.py."""

import builtins
import collections.abc
from typing import Any

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from .batch import Batch
from .generators import RNG
from .reader import Reader
from .tensor import Tensor
from .generators import RNG as RNG
from .generators import get_default_rng as get_default_rng
from .generators import set_seed as set_seed

TensorLike = Any
DeviceLike = Any

def beta(
    shape_like: TensorLike = ...,
    /,
    *,
    alpha: float | Tensor | Batch = ...,
    beta: float | Tensor | Batch = ...,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def choice(
    a: TensorLike,
    shape_like: TensorLike = ...,
    /,
    *,
    p: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def coin_flip(
    shape_like: TensorLike = ...,
    /,
    *,
    probability: float | Tensor | Batch = ...,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def normal(
    shape_like: TensorLike = ...,
    /,
    *,
    mean: float | Tensor | Batch = ...,
    stddev: float | Tensor | Batch = ...,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def uniform(
    shape_like: TensorLike = ...,
    /,
    *,
    range: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    values: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...
