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

def max(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def mean(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: builtins.bool = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def mean_square(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: builtins.bool = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def min(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def rms(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: builtins.bool = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def std_dev(
    data: TensorLike,
    mean: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: builtins.bool = ...,
    ddof: int = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def sum(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: builtins.bool = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def variance(
    data: TensorLike,
    mean: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: builtins.bool = ...,
    ddof: int = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...
