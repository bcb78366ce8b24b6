"""Generated from the operator table by tools/generate_stubs.py."""

import builtins
import collections.abc
from typing import Any

from ...enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..batch import Batch
from ..generators import RNG
from ..reader import Reader
from ..tensor import Tensor
from . import decoders as decoders
from . import readers as readers

TensorLike = Any
DeviceLike = Any

def audio_resample(
    input: TensorLike,
    /,
    *,
    dtype: DTypeLike | None = ...,
    in_rate: float | Tensor | Batch = ...,
    out_rate: float | Tensor | Batch = ...,
    scale: float | Tensor | Batch = ...,
    out_length: int | Tensor | Batch = ...,
    quality: float = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def augment(
    data: TensorLike,
    /,
    *,
    operations: int | collections.abc.Sequence[int] | Tensor | Batch,
    amounts: float | collections.abc.Sequence[float] | Tensor | Batch,
    order: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    fill_value: float = ...,
    interp_type: InterpTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def debayer(
    data: TensorLike,
    /,
    *,
    blue_position: int | collections.abc.Sequence[int] | Tensor | Batch,
    algorithm: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def dilate(
    data: TensorLike,
    /,
    *,
    mask_size: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    anchor: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    iterations: int = ...,
    border_mode: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def equalize(
    data: TensorLike,
    /,
    *,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def erode(
    data: TensorLike,
    /,
    *,
    mask_size: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    anchor: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    iterations: int = ...,
    border_mode: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def filter(
    data: TensorLike,
    filter: TensorLike,
    fill_value: TensorLike = ...,
    /,
    *,
    anchor: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    border: str = ...,
    mode: str = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def inflate(
    input: TensorLike,
    /,
    *,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch,
    algorithm: str = ...,
    dtype: DTypeLike = ...,
    chunk_offsets: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    chunk_sizes: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    layout: str = ...,
    sequence_axis_name: str = ...,
    check_output_size: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def median_blur(
    data: TensorLike,
    /,
    *,
    window_size: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def peek_image_shape(
    input: TensorLike,
    /,
    *,
    dtype: DTypeLike = ...,
    image_type: ImageTypeLike = ...,
    palette: str = ...,
    adjust_orientation: builtins.bool = ...,
    page: int | Tensor | Batch = ...,
    reduce: int = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def remap(
    data: TensorLike,
    mapx: TensorLike,
    mapy: TensorLike,
    /,
    *,
    interp: InterpTypeLike = ...,
    pixel_origin: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def resize(
    data: TensorLike,
    /,
    *,
    size: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    resize_x: float | Tensor | Batch = ...,
    resize_y: float | Tensor | Batch = ...,
    resize_z: float | Tensor | Batch = ...,
    resize_shorter: float | Tensor | Batch = ...,
    resize_longer: float | Tensor | Batch = ...,
    mode: str = ...,
    max_size: float | collections.abc.Sequence[float] = ...,
    subpixel_scale: builtins.bool = ...,
    roi_start: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    roi_end: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    roi_relative: builtins.bool = ...,
    interp_type: InterpTypeLike | Tensor | Batch = ...,
    mag_filter: InterpTypeLike | Tensor | Batch = ...,
    min_filter: InterpTypeLike | Tensor | Batch = ...,
    antialias: builtins.bool = ...,
    dtype: DTypeLike | None = ...,
    numerics: str = ...,
    minibatch_size: int = ...,
    temp_buffer_hint: int = ...,
    save_attrs: builtins.bool = ...,
    image_type: ImageTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def tensor_resize(
    data: TensorLike,
    /,
    *,
    sizes: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    scales: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    alignment: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    size_rounding: str = ...,
    mode: str = ...,
    max_size: float | collections.abc.Sequence[float] = ...,
    subpixel_scale: builtins.bool = ...,
    roi_start: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    roi_end: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    roi_relative: builtins.bool = ...,
    interp_type: InterpTypeLike | Tensor | Batch = ...,
    mag_filter: InterpTypeLike | Tensor | Batch = ...,
    min_filter: InterpTypeLike | Tensor | Batch = ...,
    antialias: builtins.bool = ...,
    dtype: DTypeLike | None = ...,
    numerics: str = ...,
    minibatch_size: int = ...,
    temp_buffer_hint: int = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def warp_perspective(
    data: TensorLike,
    matrix_input: TensorLike = ...,
    /,
    *,
    matrix: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    size: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    fill_value: float | collections.abc.Sequence[float] = ...,
    border_mode: str = ...,
    interp_type: InterpTypeLike = ...,
    inverse_map: builtins.bool = ...,
    pixel_origin: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...
