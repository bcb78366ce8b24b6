"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ...enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ...graph.data_node import DataNode
from ...tfrecord import Feature
from ...types import ScalarConstant
from . import decoders as decoders
from . import readers as readers
from .. import audio_resample as audio_resample
from .. import debayer as debayer
from .. import equalize as equalize
from .. import filter as filter
from ..decoders import inflate as inflate
from .. import peek_image_shape as peek_image_shape
from .. import tensor_resize as tensor_resize

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def augment(
    data: Operand,
    /,
    *,
    operations: int | Sequence[int] | DataNode,
    amounts: float | Sequence[float] | DataNode,
    order: float | Sequence[float] | DataNode = ...,
    fill_value: float = ...,
    interp_type: InterpTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def dilate(
    data: Operand,
    /,
    *,
    mask_size: int | Sequence[int] | DataNode = ...,
    anchor: int | Sequence[int] | DataNode = ...,
    iterations: int = ...,
    border_mode: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def erode(
    data: Operand,
    /,
    *,
    mask_size: int | Sequence[int] | DataNode = ...,
    anchor: int | Sequence[int] | DataNode = ...,
    iterations: int = ...,
    border_mode: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def median_blur(
    data: Operand,
    /,
    *,
    window_size: int | Sequence[int] | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def remap(
    data: Operand,
    mapx: Operand,
    mapy: Operand,
    /,
    *,
    interp: InterpTypeLike = ...,
    pixel_origin: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def resize(
    data: Operand,
    /,
    *,
    size: float | Sequence[float] | DataNode = ...,
    resize_x: float | DataNode = ...,
    resize_y: float | DataNode = ...,
    resize_z: float | DataNode = ...,
    resize_shorter: float | DataNode = ...,
    resize_longer: float | DataNode = ...,
    mode: str = ...,
    max_size: float | Sequence[float] = ...,
    subpixel_scale: bool = ...,
    roi_start: float | Sequence[float] | DataNode = ...,
    roi_end: float | Sequence[float] | DataNode = ...,
    roi_relative: bool = ...,
    interp_type: InterpTypeLike | DataNode = ...,
    mag_filter: InterpTypeLike | DataNode = ...,
    min_filter: InterpTypeLike | DataNode = ...,
    antialias: bool = ...,
    dtype: DTypeLike | None = ...,
    numerics: str = ...,
    minibatch_size: int = ...,
    temp_buffer_hint: int = ...,
    save_attrs: Literal[False] = ...,
    image_type: ImageTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def resize(
    data: Operand,
    /,
    *,
    size: float | Sequence[float] | DataNode = ...,
    resize_x: float | DataNode = ...,
    resize_y: float | DataNode = ...,
    resize_z: float | DataNode = ...,
    resize_shorter: float | DataNode = ...,
    resize_longer: float | DataNode = ...,
    mode: str = ...,
    max_size: float | Sequence[float] = ...,
    subpixel_scale: bool = ...,
    roi_start: float | Sequence[float] | DataNode = ...,
    roi_end: float | Sequence[float] | DataNode = ...,
    roi_relative: bool = ...,
    interp_type: InterpTypeLike | DataNode = ...,
    mag_filter: InterpTypeLike | DataNode = ...,
    min_filter: InterpTypeLike | DataNode = ...,
    antialias: bool = ...,
    dtype: DTypeLike | None = ...,
    numerics: str = ...,
    minibatch_size: int = ...,
    temp_buffer_hint: int = ...,
    save_attrs: Literal[True],
    image_type: ImageTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode]: ...

@overload
def resize(
    data: Operand,
    /,
    *,
    size: float | Sequence[float] | DataNode = ...,
    resize_x: float | DataNode = ...,
    resize_y: float | DataNode = ...,
    resize_z: float | DataNode = ...,
    resize_shorter: float | DataNode = ...,
    resize_longer: float | DataNode = ...,
    mode: str = ...,
    max_size: float | Sequence[float] = ...,
    subpixel_scale: bool = ...,
    roi_start: float | Sequence[float] | DataNode = ...,
    roi_end: float | Sequence[float] | DataNode = ...,
    roi_relative: bool = ...,
    interp_type: InterpTypeLike | DataNode = ...,
    mag_filter: InterpTypeLike | DataNode = ...,
    min_filter: InterpTypeLike | DataNode = ...,
    antialias: bool = ...,
    dtype: DTypeLike | None = ...,
    numerics: str = ...,
    minibatch_size: int = ...,
    temp_buffer_hint: int = ...,
    save_attrs: bool = ...,
    image_type: ImageTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode | tuple[DataNode, ...]: ...

def warp_perspective(
    data: Operand,
    matrix_input: Operand | None = ...,
    /,
    *,
    matrix: float | Sequence[float] | DataNode = ...,
    size: float | Sequence[float] | DataNode = ...,
    fill_value: float | Sequence[float] = ...,
    border_mode: str = ...,
    interp_type: InterpTypeLike = ...,
    inverse_map: bool = ...,
    pixel_origin: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...
