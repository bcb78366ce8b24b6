"""Generated from the operator table by tools/generate_stubs.py."""

import builtins
import collections.abc
from typing import Any

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from .batch import Batch
from .generators import RNG
from .reader import Reader
from .tensor import Tensor
from . import decoders as decoders
from . import experimental as experimental
from . import io as io
from . import noise as noise
from . import random as random
from . import readers as readers
from . import reductions as reductions
from . import segmentation as segmentation
from . import transforms as transforms
from . import capture as capture
from . import checkpoint as checkpoint
from . import math as math
from . import pytorch as pytorch
from .batch import Batch as Batch
from .batch import as_batch as as_batch
from .batch import batch as batch
from .device import Device as Device
from .device import device as device
from .dtypes import DType as DType
from .dtypes import DataType as DataType
from .dtypes import ImageType as ImageType
from .dtypes import InterpType as InterpType
from .dtypes import bfloat16 as bfloat16
from .dtypes import bool as bool
from .dtypes import dtype as dtype
from .dtypes import float16 as float16
from .dtypes import float32 as float32
from .dtypes import float64 as float64
from .dtypes import int16 as int16
from .dtypes import int32 as int32
from .dtypes import int64 as int64
from .dtypes import int8 as int8
from .dtypes import type_id as type_id
from .dtypes import uint16 as uint16
from .dtypes import uint32 as uint32
from .dtypes import uint64 as uint64
from .dtypes import uint8 as uint8
from .eval_context import EvalContext as EvalContext
from .eval_mode import EvalMode as EvalMode
from .external_source import ExternalSource as ExternalSource
from .imread import imread as imread
from .streams import Stream as Stream
from .streams import get_current_stream as get_current_stream
from .streams import get_default_stream as get_default_stream
from .streams import set_current_stream as set_current_stream
from .streams import set_default_stream as set_default_stream
from .streams import stream as stream
from .tensor import Tensor as Tensor
from .tensor import as_tensor as as_tensor
from .tensor import tensor as tensor
from .threads import ThreadPool as ThreadPool
from .threads import get_num_threads as get_num_threads
from .threads import set_num_threads as set_num_threads

TensorLike = Any
DeviceLike = Any

def add_noise(
    data: TensorLike,
    noise: TensorLike = ...,
    /,
    *,
    snr: float | Tensor | Batch,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

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

def batch_permutation(
    *,
    allow_repetitions: builtins.bool = ...,
    no_fixed_points: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def bb_flip(
    boxes: TensorLike,
    /,
    *,
    ltrb: builtins.bool = ...,
    horizontal: int | Tensor | Batch = ...,
    vertical: int | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def bbox_paste(
    boxes: TensorLike,
    /,
    *,
    ltrb: builtins.bool = ...,
    ratio: float | Tensor | Batch,
    paste_x: float | Tensor | Batch = ...,
    paste_y: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def bbox_rotate(
    boxes: TensorLike,
    labels: TensorLike = ...,
    /,
    *,
    angle: float | Tensor | Batch,
    input_shape: int | collections.abc.Sequence[int] | Tensor | Batch,
    shape_layout: str = ...,
    bbox_layout: str = ...,
    bbox_normalized: builtins.bool = ...,
    keep_size: builtins.bool = ...,
    size: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    mode: str = ...,
    remove_threshold: float = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def box_encoder(
    boxes: TensorLike,
    labels: TensorLike,
    /,
    *,
    anchors: float | collections.abc.Sequence[float],
    criteria: float = ...,
    offset: builtins.bool = ...,
    scale: float = ...,
    means: float | collections.abc.Sequence[float] = ...,
    stds: float | collections.abc.Sequence[float] = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def brightness(
    data: TensorLike,
    /,
    *,
    brightness: float | Tensor | Batch = ...,
    brightness_shift: float | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def brightness_contrast(
    data: TensorLike,
    /,
    *,
    brightness: float | Tensor | Batch = ...,
    brightness_shift: float | Tensor | Batch = ...,
    contrast: float | Tensor | Batch = ...,
    contrast_center: float | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def cast(
    data: TensorLike,
    /,
    *,
    dtype: DTypeLike,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def cast_like(
    data: TensorLike,
    like: TensorLike,
    /,
    *,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def cat(
    *data: TensorLike,
    axis: int = ...,
    axis_name: str | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def clahe(
    data: TensorLike,
    /,
    *,
    tiles_x: int,
    tiles_y: int,
    clip_limit: float,
    luma_only: builtins.bool = ...,
    bins: int = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def color_space_conversion(
    data: TensorLike,
    /,
    *,
    image_type: ImageTypeLike,
    output_type: ImageTypeLike,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def color_twist(
    data: TensorLike,
    /,
    *,
    hue: float | Tensor | Batch = ...,
    saturation: float | Tensor | Batch = ...,
    contrast: float | Tensor | Batch = ...,
    brightness: float | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def constant(
    *,
    fdata: float | collections.abc.Sequence[float] | None = ...,
    idata: int | collections.abc.Sequence[int] | None = ...,
    shape: int | collections.abc.Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
    layout: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def contrast(
    data: TensorLike,
    /,
    *,
    contrast: float | Tensor | Batch = ...,
    contrast_center: float | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def coord_flip(
    points: TensorLike,
    /,
    *,
    layout: str = ...,
    flip_x: int | Tensor | Batch = ...,
    flip_y: int | Tensor | Batch = ...,
    flip_z: int | Tensor | Batch = ...,
    center_x: float | Tensor | Batch = ...,
    center_y: float | Tensor | Batch = ...,
    center_z: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def coord_transform(
    points: TensorLike,
    /,
    *,
    M: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    T: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    MT: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def copy(
    data: TensorLike,
    /,
    *,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def crop(
    data: TensorLike,
    /,
    *,
    crop: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    crop_d: float | Tensor | Batch = ...,
    crop_h: float | Tensor | Batch = ...,
    crop_w: float | Tensor | Batch = ...,
    crop_pos_x: float | Tensor | Batch = ...,
    crop_pos_y: float | Tensor | Batch = ...,
    crop_pos_z: float | Tensor | Batch = ...,
    rounding: str = ...,
    dtype: DTypeLike | None = ...,
    output_dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike | None = ...,
    out_of_bounds_policy: str = ...,
    fill_values: float | collections.abc.Sequence[float] = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def crop_mirror_normalize(
    data: TensorLike,
    /,
    *,
    crop: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    crop_d: float | Tensor | Batch = ...,
    crop_h: float | Tensor | Batch = ...,
    crop_w: float | Tensor | Batch = ...,
    crop_pos_x: float | Tensor | Batch = ...,
    crop_pos_y: float | Tensor | Batch = ...,
    crop_pos_z: float | Tensor | Batch = ...,
    rounding: str = ...,
    dtype: DTypeLike = ...,
    output_dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike | None = ...,
    output_layout: str = ...,
    pad_output: builtins.bool = ...,
    mirror: int | Tensor | Batch = ...,
    mean: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    std: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    scale: float = ...,
    shift: float = ...,
    out_of_bounds_policy: str = ...,
    fill_values: float | collections.abc.Sequence[float] = ...,
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

def dump_image(
    input: TensorLike,
    /,
    *,
    suffix: str = ...,
    folder: str = ...,
    input_layout: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def element_extract(
    sequence: TensorLike,
    /,
    *,
    element_map: int | collections.abc.Sequence[int],
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

def erase(
    data: TensorLike,
    /,
    *,
    anchor: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    shape: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    axes: int | collections.abc.Sequence[int] = ...,
    axis_names: str = ...,
    centered_anchor: builtins.bool = ...,
    normalized: builtins.bool = ...,
    normalized_anchor: builtins.bool = ...,
    normalized_shape: builtins.bool = ...,
    fill_value: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def expand_dims(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int],
    new_axis_names: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def fast_resize_crop_mirror(
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
    crop: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    crop_d: float | Tensor | Batch = ...,
    crop_h: float | Tensor | Batch = ...,
    crop_w: float | Tensor | Batch = ...,
    crop_pos_x: float | Tensor | Batch = ...,
    crop_pos_y: float | Tensor | Batch = ...,
    crop_pos_z: float | Tensor | Batch = ...,
    rounding: str = ...,
    mirror: int | Tensor | Batch = ...,
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

def flip(
    data: TensorLike,
    /,
    *,
    horizontal: int | Tensor | Batch = ...,
    vertical: int | Tensor | Batch = ...,
    depthwise: int | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def full(
    fill_value: TensorLike,
    /,
    *,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    layout: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def full_like(
    data_like: TensorLike,
    fill_value: TensorLike,
    /,
    *,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def gaussian_blur(
    data: TensorLike,
    /,
    *,
    sigma: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    window_size: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def get_property(
    data: TensorLike,
    /,
    *,
    key: str,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def grid_mask(
    data: TensorLike,
    /,
    *,
    tile: int | Tensor | Batch = ...,
    ratio: float | Tensor | Batch = ...,
    angle: float | Tensor | Batch = ...,
    shift_x: float | Tensor | Batch = ...,
    shift_y: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def hsv(
    data: TensorLike,
    /,
    *,
    hue: float | Tensor | Batch = ...,
    saturation: float | Tensor | Batch = ...,
    value: float | Tensor | Batch = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def hue(
    data: TensorLike,
    /,
    *,
    hue: float | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def jitter(
    data: TensorLike,
    /,
    *,
    nDegree: int = ...,
    mask: int | Tensor | Batch = ...,
    fill_value: float = ...,
    interp_type: InterpTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def jpeg_compression_distortion(
    data: TensorLike,
    /,
    *,
    quality: int | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def laplacian(
    data: TensorLike,
    /,
    *,
    window_size: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    smoothing_size: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    scale: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    normalized_kernel: builtins.bool = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def lookup_table(
    data: TensorLike,
    /,
    *,
    keys: int | collections.abc.Sequence[int] = ...,
    values: float | collections.abc.Sequence[float] = ...,
    default_value: float = ...,
    dtype: DTypeLike = ...,
    output_dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def mel_filter_bank(
    data: TensorLike,
    /,
    *,
    nfilter: int = ...,
    sample_rate: float = ...,
    freq_low: float = ...,
    freq_high: float = ...,
    normalize: builtins.bool = ...,
    mel_formula: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def mfcc(
    data: TensorLike,
    /,
    *,
    n_mfcc: int = ...,
    dct_type: int = ...,
    normalize: builtins.bool = ...,
    axis: int = ...,
    lifter: float = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def multi_paste(
    *data: TensorLike,
    in_ids: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    output_size: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    in_anchors: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    in_anchors_rel: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    shapes: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    shapes_rel: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    out_anchors: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    out_anchors_rel: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def nonsilent_region(
    data: TensorLike,
    /,
    *,
    cutoff_db: float | Tensor | Batch = ...,
    window_length: int | Tensor | Batch = ...,
    reference_power: float | Tensor | Batch = ...,
    reset_interval: int | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def normalize(
    data: TensorLike,
    /,
    *,
    batch: builtins.bool = ...,
    mean: float | Tensor | Batch = ...,
    stddev: float | Tensor | Batch = ...,
    axes: int | collections.abc.Sequence[int] | None = ...,
    axis_names: str | None = ...,
    scale: float = ...,
    shift: float = ...,
    epsilon: float = ...,
    ddof: int = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def one_hot(
    data: TensorLike,
    /,
    *,
    num_classes: int = ...,
    axis: int = ...,
    axis_name: str | None = ...,
    on_value: float = ...,
    off_value: float = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def ones(
    *,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    layout: str = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def ones_like(
    data_like: TensorLike,
    /,
    *,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def pad(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    axis_names: str | None = ...,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    align: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    fill_value: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def paste(
    data: TensorLike,
    /,
    *,
    ratio: float | Tensor | Batch,
    fill_value: int | collections.abc.Sequence[int],
    paste_x: float | Tensor | Batch = ...,
    paste_y: float | Tensor | Batch = ...,
    min_canvas_size: float | Tensor | Batch = ...,
    n_channels: int = ...,
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

def per_frame(
    data: TensorLike,
    /,
    *,
    replace: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def permute_batch(
    data: TensorLike,
    /,
    *,
    indices: int | collections.abc.Sequence[int] | Tensor | Batch,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def pitch_shift(
    data: TensorLike,
    /,
    *,
    n_steps: float | Tensor | Batch = ...,
    bins_per_octave: int = ...,
    nfft: int = ...,
    window_step: int | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def power_spectrum(
    data: TensorLike,
    /,
    *,
    nfft: int | None = ...,
    power: int = ...,
    axis: int = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def preemphasis_filter(
    data: TensorLike,
    /,
    *,
    preemph_coeff: float | Tensor | Batch = ...,
    border: str = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def random_bbox_crop(
    boxes: TensorLike,
    labels: TensorLike = ...,
    /,
    *,
    aspect_ratio: float | collections.abc.Sequence[float] = ...,
    scaling: float | collections.abc.Sequence[float] = ...,
    thresholds: float | collections.abc.Sequence[float] = ...,
    threshold_type: str = ...,
    ltrb: builtins.bool = ...,
    bbox_layout: str = ...,
    shape_layout: str = ...,
    input_shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    crop_shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    num_attempts: int = ...,
    total_num_attempts: int | None = ...,
    all_boxes_above_threshold: builtins.bool = ...,
    allow_no_crop: builtins.bool = ...,
    output_bbox_indices: builtins.bool = ...,
    bbox_prune_threshold: float | None = ...,
    quiet: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def random_crop_generator(
    shape: TensorLike,
    /,
    *,
    random_aspect_ratio: float | collections.abc.Sequence[float] = ...,
    random_area: float | collections.abc.Sequence[float] = ...,
    num_attempts: int = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def random_resized_crop(
    data: TensorLike,
    /,
    *,
    size: int | collections.abc.Sequence[int],
    random_aspect_ratio: float | collections.abc.Sequence[float] = ...,
    random_area: float | collections.abc.Sequence[float] = ...,
    num_attempts: int = ...,
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
    rng: RNG | None = ...,
) -> Any: ...

def reinterpret(
    data: TensorLike,
    shape_input: TensorLike = ...,
    /,
    *,
    dtype: DTypeLike | None = ...,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    rel_shape: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    src_dims: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    layout: str | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def reshape(
    data: TensorLike,
    shape_input: TensorLike = ...,
    /,
    *,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    rel_shape: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    src_dims: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    layout: str | None = ...,
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

def resize_crop_mirror(
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
    crop: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    crop_d: float | Tensor | Batch = ...,
    crop_h: float | Tensor | Batch = ...,
    crop_w: float | Tensor | Batch = ...,
    crop_pos_x: float | Tensor | Batch = ...,
    crop_pos_y: float | Tensor | Batch = ...,
    crop_pos_z: float | Tensor | Batch = ...,
    rounding: str = ...,
    mirror: int | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def roi_random_crop(
    data: TensorLike = ...,
    /,
    *,
    crop_shape: int | collections.abc.Sequence[int] | Tensor | Batch,
    roi_start: int | collections.abc.Sequence[int] | Tensor | Batch,
    roi_shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    roi_end: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    in_shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def rotate(
    data: TensorLike,
    /,
    *,
    angle: float | Tensor | Batch,
    axis: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    keep_size: builtins.bool = ...,
    size: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    fill_value: float | None = ...,
    interp_type: InterpTypeLike = ...,
    dtype: DTypeLike | None = ...,
    output_dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def saturation(
    data: TensorLike,
    /,
    *,
    saturation: float | Tensor | Batch = ...,
    dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def sequence_rearrange(
    sequence: TensorLike,
    /,
    *,
    new_order: int | collections.abc.Sequence[int] | Tensor | Batch,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def shapes(
    data: TensorLike,
    /,
    *,
    dtype: DTypeLike = ...,
    type: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def slice(
    data: TensorLike,
    anchor: TensorLike = ...,
    shape_input: TensorLike = ...,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    axis_names: str = ...,
    start: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    end: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    rel_start: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    rel_end: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    rel_shape: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    normalized_anchor: builtins.bool = ...,
    normalized_shape: builtins.bool = ...,
    dtype: DTypeLike | None = ...,
    output_dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike | None = ...,
    out_of_bounds_policy: str = ...,
    fill_values: float | collections.abc.Sequence[float] = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def spec_augment(
    data: TensorLike,
    /,
    *,
    n_freq_masks: int | Tensor | Batch = ...,
    freq_mask_param: int | Tensor | Batch = ...,
    n_time_masks: int | Tensor | Batch = ...,
    time_mask_param: int | Tensor | Batch = ...,
    p: float | Tensor | Batch = ...,
    mask_value: float | Tensor | Batch = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def spectrogram(
    data: TensorLike,
    /,
    *,
    nfft: int | None = ...,
    window_length: int = ...,
    window_step: int = ...,
    window_fn: float | collections.abc.Sequence[float] = ...,
    power: int = ...,
    center_windows: builtins.bool = ...,
    reflect_padding: builtins.bool = ...,
    layout: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def sphere(
    data: TensorLike,
    /,
    *,
    mask: int | Tensor | Batch = ...,
    fill_value: float = ...,
    interp_type: InterpTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def squeeze(
    data: TensorLike,
    /,
    *,
    axes: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    axis_names: str | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def ssd_random_crop(
    image: TensorLike,
    boxes: TensorLike,
    labels: TensorLike,
    /,
    *,
    num_attempts: int = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
    rng: RNG | None = ...,
) -> Any: ...

def stack(
    *data: TensorLike,
    axis: int = ...,
    axis_name: str | None = ...,
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

def time_stretch(
    data: TensorLike,
    /,
    *,
    rate: float | Tensor | Batch = ...,
    nfft: int = ...,
    window_step: int | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def to_decibels(
    data: TensorLike,
    /,
    *,
    multiplier: float = ...,
    reference: float | None = ...,
    cutoff_db: float = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def transpose(
    data: TensorLike,
    /,
    *,
    perm: int | collections.abc.Sequence[int] | None = ...,
    transpose_layout: builtins.bool = ...,
    output_layout: str = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def warp_affine(
    data: TensorLike,
    matrix_input: TensorLike = ...,
    /,
    *,
    matrix: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    inverse_map: builtins.bool = ...,
    size: float | collections.abc.Sequence[float] | Tensor | Batch = ...,
    fill_value: float | None = ...,
    interp_type: InterpTypeLike = ...,
    dtype: DTypeLike | None = ...,
    output_dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def water(
    data: TensorLike,
    /,
    *,
    ampl_x: float = ...,
    ampl_y: float = ...,
    freq_x: float = ...,
    freq_y: float = ...,
    phase_x: float = ...,
    phase_y: float = ...,
    mask: int | Tensor | Batch = ...,
    fill_value: float = ...,
    interp_type: InterpTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def zeros(
    *,
    shape: int | collections.abc.Sequence[int] | Tensor | Batch = ...,
    layout: str = ...,
    dtype: DTypeLike = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...

def zeros_like(
    data_like: TensorLike,
    /,
    *,
    dtype: DTypeLike | None = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...
