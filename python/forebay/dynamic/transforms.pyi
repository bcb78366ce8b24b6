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

def combine(
    *transforms: TensorLike,
    reverse_order: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def crop(
    transform: TensorLike = ...,
    /,
    *,
    reverse_order: builtins.bool = ...,
    from_start: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    from_end: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    to_start: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    to_end: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    absolute: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def rotation(
    transform: TensorLike = ...,
    /,
    *,
    reverse_order: builtins.bool = ...,
    angle: float | Tensor | Batch,
    axis: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    center: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def scale(
    transform: TensorLike = ...,
    /,
    *,
    reverse_order: builtins.bool = ...,
    scale: float | collections.abc.Sequence[float] | Tensor | Batch,
    center: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    ndim: int | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def shear(
    transform: TensorLike = ...,
    /,
    *,
    reverse_order: builtins.bool = ...,
    shear: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    angles: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    center: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def translation(
    transform: TensorLike = ...,
    /,
    *,
    reverse_order: builtins.bool = ...,
    offset: float | collections.abc.Sequence[float] | Tensor | Batch,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...
