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

def random_mask_pixel(
    mask: TensorLike,
    /,
    *,
    foreground: int | Tensor | Batch = ...,
    value: int | Tensor | Batch = ...,
    threshold: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def random_object_bbox(
    mask: TensorLike,
    /,
    *,
    ignore_class: builtins.bool = ...,
    output_class: builtins.bool = ...,
    foreground_prob: float | Tensor | Batch = ...,
    classes: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    background: int | Tensor | Batch = ...,
    class_weights: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    k_largest: int | None = ...,
    threshold: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    format: str = ...,
    cache_objects: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def select_masks(
    mask_ids: TensorLike,
    polygons: TensorLike,
    vertices: TensorLike,
    /,
    *,
    reindex_masks: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...
