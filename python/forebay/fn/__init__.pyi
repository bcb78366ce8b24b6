"""Generated from the operator table by tools/generate_stubs.py."""

from typing import Any, Sequence

from ..graph.data_node import DataNode
from ..types import DALIDataType, DALIImageType, DALIInterpType, ScalarConstant
from ..graph.external_source import external_source as external_source
from ..graph.python_function import python_function as python_function
from . import decoders as decoders
from . import random as random
from . import readers as readers
from .random import coin_flip as coin_flip
from .readers import file as file_reader
from .decoders import image as image_decoder
from .decoders import image_crop as image_decoder_crop
from .decoders import image_random_crop as image_decoder_random_crop
from .decoders import image_slice as image_decoder_slice
from .random import normal as normal_distribution
from .readers import tfrecord as tfrecord_reader
from .random import uniform as uniform

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def brightness(
    data: Operand,
    /,
    *,
    brightness: float | DataNode = ...,
    brightness_shift: float | DataNode = ...,
    dtype: DALIDataType | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def brightness_contrast(
    data: Operand,
    /,
    *,
    brightness: float | DataNode = ...,
    brightness_shift: float | DataNode = ...,
    contrast: float | DataNode = ...,
    contrast_center: float | DataNode = ...,
    dtype: DALIDataType | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def cast(
    data: Operand,
    /,
    *,
    dtype: DALIDataType,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def cast_like(
    data: Operand,
    like: Operand,
    /,
    *,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def cat(
    *data: Operand,
    axis: int = ...,
    axis_name: str | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def color_space_conversion(
    data: Operand,
    /,
    *,
    image_type: DALIImageType,
    output_type: DALIImageType,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def color_twist(
    data: Operand,
    /,
    *,
    hue: float | DataNode = ...,
    saturation: float | DataNode = ...,
    contrast: float | DataNode = ...,
    brightness: float | DataNode = ...,
    dtype: DALIDataType | None = ...,
    image_type: DALIImageType = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def constant(
    *,
    fdata: float | Sequence[float] | None = ...,
    idata: int | Sequence[int] | None = ...,
    shape: int | Sequence[int] | None = ...,
    dtype: DALIDataType | None = ...,
    layout: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def contrast(
    data: Operand,
    /,
    *,
    contrast: float | DataNode = ...,
    contrast_center: float | DataNode = ...,
    dtype: DALIDataType | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def copy(
    data: Operand,
    /,
    *,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def crop(
    data: Operand,
    /,
    *,
    crop: float | Sequence[float] | DataNode = ...,
    crop_d: float | DataNode = ...,
    crop_h: float | DataNode = ...,
    crop_w: float | DataNode = ...,
    crop_pos_x: float | DataNode = ...,
    crop_pos_y: float | DataNode = ...,
    crop_pos_z: float | DataNode = ...,
    rounding: str = ...,
    dtype: DALIDataType | None = ...,
    output_dtype: DALIDataType | None = ...,
    image_type: DALIImageType | None = ...,
    out_of_bounds_policy: str = ...,
    fill_values: float | Sequence[float] = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def crop_mirror_normalize(
    data: Operand,
    /,
    *,
    crop: float | Sequence[float] | DataNode = ...,
    crop_d: float | DataNode = ...,
    crop_h: float | DataNode = ...,
    crop_w: float | DataNode = ...,
    crop_pos_x: float | DataNode = ...,
    crop_pos_y: float | DataNode = ...,
    crop_pos_z: float | DataNode = ...,
    rounding: str = ...,
    dtype: DALIDataType = ...,
    output_dtype: DALIDataType | None = ...,
    image_type: DALIImageType | None = ...,
    output_layout: str = ...,
    pad_output: bool = ...,
    mirror: int | DataNode = ...,
    mean: float | Sequence[float] | DataNode = ...,
    std: float | Sequence[float] | DataNode = ...,
    scale: float = ...,
    shift: float = ...,
    out_of_bounds_policy: str = ...,
    fill_values: float | Sequence[float] = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def erase(
    data: Operand,
    /,
    *,
    anchor: float | Sequence[float] | DataNode = ...,
    shape: float | Sequence[float] | DataNode = ...,
    axes: int | Sequence[int] = ...,
    axis_names: str = ...,
    centered_anchor: bool = ...,
    normalized: bool = ...,
    normalized_anchor: bool = ...,
    normalized_shape: bool = ...,
    fill_value: float | Sequence[float] | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def expand_dims(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int],
    new_axis_names: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def flip(
    data: Operand,
    /,
    *,
    horizontal: int | DataNode = ...,
    vertical: int | DataNode = ...,
    depthwise: int | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def get_property(
    data: Operand,
    /,
    *,
    key: str,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def hsv(
    data: Operand,
    /,
    *,
    hue: float | DataNode = ...,
    saturation: float | DataNode = ...,
    value: float | DataNode = ...,
    dtype: DALIDataType = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def hue(
    data: Operand,
    /,
    *,
    hue: float | DataNode = ...,
    dtype: DALIDataType | None = ...,
    image_type: DALIImageType = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def keep(
    *data: Operand,
    where: bool | DataNode,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...

def normalize(
    data: Operand,
    /,
    *,
    batch: bool = ...,
    mean: float | DataNode = ...,
    stddev: float | DataNode = ...,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    scale: float = ...,
    shift: float = ...,
    epsilon: float = ...,
    ddof: int = ...,
    dtype: DALIDataType = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def one_hot(
    data: Operand,
    /,
    *,
    num_classes: int = ...,
    axis: int = ...,
    axis_name: str | None = ...,
    on_value: float = ...,
    off_value: float = ...,
    dtype: DALIDataType = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def pad(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int] | DataNode = ...,
    axis_names: str | None = ...,
    shape: int | Sequence[int] | DataNode = ...,
    align: int | Sequence[int] | DataNode = ...,
    fill_value: float | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def peek_image_shape(
    input: Operand,
    /,
    *,
    dtype: DALIDataType = ...,
    image_type: DALIImageType = ...,
    adjust_orientation: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def permute_batch(
    data: Operand,
    /,
    *,
    indices: int | Sequence[int] | DataNode,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def random_crop_generator(
    shape: Operand,
    /,
    *,
    random_aspect_ratio: float | Sequence[float] = ...,
    random_area: float | Sequence[float] = ...,
    num_attempts: int = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...

def random_resized_crop(
    data: Operand,
    /,
    *,
    size: int | Sequence[int],
    random_aspect_ratio: float | Sequence[float] = ...,
    random_area: float | Sequence[float] = ...,
    num_attempts: int = ...,
    interp_type: DALIInterpType | DataNode = ...,
    mag_filter: DALIInterpType | DataNode = ...,
    min_filter: DALIInterpType | DataNode = ...,
    antialias: bool = ...,
    dtype: DALIDataType | None = ...,
    numerics: str = ...,
    minibatch_size: int = ...,
    temp_buffer_hint: int = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def reinterpret(
    data: Operand,
    shape_input: Operand | None = ...,
    /,
    *,
    dtype: DALIDataType | None = ...,
    shape: int | Sequence[int] | DataNode = ...,
    rel_shape: float | Sequence[float] | DataNode = ...,
    src_dims: int | Sequence[int] | DataNode = ...,
    layout: str | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def reshape(
    data: Operand,
    shape_input: Operand | None = ...,
    /,
    *,
    shape: int | Sequence[int] | DataNode = ...,
    rel_shape: float | Sequence[float] | DataNode = ...,
    src_dims: int | Sequence[int] | DataNode = ...,
    layout: str | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

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
    interp_type: DALIInterpType | DataNode = ...,
    mag_filter: DALIInterpType | DataNode = ...,
    min_filter: DALIInterpType | DataNode = ...,
    antialias: bool = ...,
    dtype: DALIDataType | None = ...,
    numerics: str = ...,
    minibatch_size: int = ...,
    temp_buffer_hint: int = ...,
    save_attrs: bool = ...,
    image_type: DALIImageType | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def rotate(
    data: Operand,
    /,
    *,
    angle: float | DataNode,
    axis: float | Sequence[float] | DataNode = ...,
    keep_size: bool = ...,
    size: float | Sequence[float] | DataNode = ...,
    fill_value: float | None = ...,
    interp_type: DALIInterpType = ...,
    dtype: DALIDataType | None = ...,
    output_dtype: DALIDataType | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def saturation(
    data: Operand,
    /,
    *,
    saturation: float | DataNode = ...,
    dtype: DALIDataType | None = ...,
    image_type: DALIImageType = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def shapes(
    data: Operand,
    /,
    *,
    dtype: DALIDataType = ...,
    type: DALIDataType | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def slice(
    data: Operand,
    anchor: Operand | None = ...,
    shape_input: Operand | None = ...,
    /,
    *,
    axes: int | Sequence[int] | DataNode = ...,
    axis_names: str = ...,
    start: int | Sequence[int] | DataNode = ...,
    end: int | Sequence[int] | DataNode = ...,
    shape: int | Sequence[int] | DataNode = ...,
    rel_start: float | Sequence[float] | DataNode = ...,
    rel_end: float | Sequence[float] | DataNode = ...,
    rel_shape: float | Sequence[float] | DataNode = ...,
    normalized_anchor: bool = ...,
    normalized_shape: bool = ...,
    dtype: DALIDataType | None = ...,
    output_dtype: DALIDataType | None = ...,
    image_type: DALIImageType | None = ...,
    out_of_bounds_policy: str = ...,
    fill_values: float | Sequence[float] = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def squeeze(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int] | DataNode = ...,
    axis_names: str | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def stack(
    *data: Operand,
    axis: int = ...,
    axis_name: str | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def transpose(
    data: Operand,
    /,
    *,
    perm: int | Sequence[int] | None = ...,
    transpose_layout: bool = ...,
    output_layout: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def warp_affine(
    data: Operand,
    matrix_input: Operand | None = ...,
    /,
    *,
    matrix: float | Sequence[float] | DataNode = ...,
    inverse_map: bool = ...,
    size: float | Sequence[float] | DataNode = ...,
    fill_value: float | None = ...,
    interp_type: DALIInterpType = ...,
    dtype: DALIDataType | None = ...,
    output_dtype: DALIDataType | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...
