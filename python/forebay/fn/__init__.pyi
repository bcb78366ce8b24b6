"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..graph.data_node import DataNode
from ..tfrecord import Feature
from ..types import ScalarConstant
from ..graph.external_source import external_source as external_source
from ..graph.dlpack_function import dl_tensor_python_function as dl_tensor_python_function
from ..graph.python_function import python_function as python_function
from . import decoders as decoders
from . import experimental as experimental
from . import io as io
from . import noise as noise
from . import random as random
from . import readers as readers
from . import reductions as reductions
from . import segmentation as segmentation
from . import transforms as transforms
from .decoders import audio as audio_decoder
from .readers import caffe2 as caffe2_reader
from .readers import caffe as caffe_reader
from .readers import coco as coco_reader
from .random import coin_flip as coin_flip
from .readers import file as file_reader
from .decoders import image as image_decoder
from .decoders import image_crop as image_decoder_crop
from .decoders import image_random_crop as image_decoder_random_crop
from .decoders import image_slice as image_decoder_slice
from .readers import mxnet as mxnet_reader
from .readers import nemo_asr as nemo_asr_reader
from .random import normal as normal_distribution
from .readers import numpy as numpy_reader
from .readers import sequence as sequence_reader
from .readers import tfrecord as tfrecord_reader
from .transforms import translation as transform_translation
from .random import uniform as uniform

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def add_noise(
    data: Operand,
    noise: Operand | None = ...,
    /,
    *,
    snr: float | DataNode,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def audio_resample(
    input: Operand,
    /,
    *,
    dtype: DTypeLike | None = ...,
    in_rate: float | DataNode = ...,
    out_rate: float | DataNode = ...,
    scale: float | DataNode = ...,
    out_length: int | DataNode = ...,
    quality: float = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def batch_permutation(
    *,
    allow_repetitions: bool = ...,
    no_fixed_points: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def bb_flip(
    boxes: Operand,
    /,
    *,
    ltrb: bool = ...,
    horizontal: int | DataNode = ...,
    vertical: int | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def bbox_paste(
    boxes: Operand,
    /,
    *,
    ltrb: bool = ...,
    ratio: float | DataNode,
    paste_x: float | DataNode = ...,
    paste_y: float | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def bbox_rotate(
    boxes: Operand,
    labels: None = ...,
    /,
    *,
    angle: float | DataNode,
    input_shape: int | Sequence[int] | DataNode,
    shape_layout: str = ...,
    bbox_layout: str = ...,
    bbox_normalized: bool = ...,
    keep_size: bool = ...,
    size: float | Sequence[float] | DataNode = ...,
    mode: str = ...,
    remove_threshold: float = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def bbox_rotate(
    boxes: Operand,
    labels: Operand,
    /,
    *,
    angle: float | DataNode,
    input_shape: int | Sequence[int] | DataNode,
    shape_layout: str = ...,
    bbox_layout: str = ...,
    bbox_normalized: bool = ...,
    keep_size: bool = ...,
    size: float | Sequence[float] | DataNode = ...,
    mode: str = ...,
    remove_threshold: float = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode]: ...

@overload
def bbox_rotate(
    boxes: Operand,
    labels: Operand | None = ...,
    /,
    *,
    angle: float | DataNode,
    input_shape: int | Sequence[int] | DataNode,
    shape_layout: str = ...,
    bbox_layout: str = ...,
    bbox_normalized: bool = ...,
    keep_size: bool = ...,
    size: float | Sequence[float] | DataNode = ...,
    mode: str = ...,
    remove_threshold: float = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode | tuple[DataNode, ...]: ...

def box_encoder(
    boxes: Operand,
    labels: Operand,
    /,
    *,
    anchors: float | Sequence[float],
    criteria: float = ...,
    offset: bool = ...,
    scale: float = ...,
    means: float | Sequence[float] = ...,
    stds: float | Sequence[float] = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode]: ...

def brightness(
    data: Operand,
    /,
    *,
    brightness: float | DataNode = ...,
    brightness_shift: float | DataNode = ...,
    dtype: DTypeLike | None = ...,
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
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def cast(
    data: Operand,
    /,
    *,
    dtype: DTypeLike,
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

def clahe(
    data: Operand,
    /,
    *,
    tiles_x: int,
    tiles_y: int,
    clip_limit: float,
    luma_only: bool = ...,
    bins: int = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def color_space_conversion(
    data: Operand,
    /,
    *,
    image_type: ImageTypeLike,
    output_type: ImageTypeLike,
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
    dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def constant(
    *,
    fdata: float | Sequence[float] | None = ...,
    idata: int | Sequence[int] | None = ...,
    shape: int | Sequence[int] | None = ...,
    dtype: DTypeLike | None = ...,
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
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def coord_flip(
    points: Operand,
    /,
    *,
    layout: str = ...,
    flip_x: int | DataNode = ...,
    flip_y: int | DataNode = ...,
    flip_z: int | DataNode = ...,
    center_x: float | DataNode = ...,
    center_y: float | DataNode = ...,
    center_z: float | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def coord_transform(
    points: Operand,
    /,
    *,
    M: float | Sequence[float] | DataNode = ...,
    T: float | Sequence[float] | DataNode = ...,
    MT: float | Sequence[float] | DataNode = ...,
    dtype: DTypeLike = ...,
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
    dtype: DTypeLike | None = ...,
    output_dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike | None = ...,
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
    dtype: DTypeLike = ...,
    output_dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike | None = ...,
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

def debayer(
    data: Operand,
    /,
    *,
    blue_position: int | Sequence[int] | DataNode,
    algorithm: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def dump_image(
    input: Operand,
    /,
    *,
    suffix: str = ...,
    folder: str = ...,
    input_layout: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def element_extract(  # type: ignore[overload-overlap]
    sequence: Operand,
    /,
    *,
    element_map: int,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def element_extract(
    sequence: Operand,
    /,
    *,
    element_map: tuple[int, int],
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode]: ...

@overload
def element_extract(
    sequence: Operand,
    /,
    *,
    element_map: tuple[int, int, int],
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode, DataNode]: ...

@overload
def element_extract(
    sequence: Operand,
    /,
    *,
    element_map: tuple[int, int, int, int],
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode, DataNode, DataNode]: ...

@overload
def element_extract(
    sequence: Operand,
    /,
    *,
    element_map: int | Sequence[int],
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, ...]: ...

def equalize(
    data: Operand,
    /,
    *,
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

def fast_resize_crop_mirror(
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
    crop: float | Sequence[float] | DataNode = ...,
    crop_d: float | DataNode = ...,
    crop_h: float | DataNode = ...,
    crop_w: float | DataNode = ...,
    crop_pos_x: float | DataNode = ...,
    crop_pos_y: float | DataNode = ...,
    crop_pos_z: float | DataNode = ...,
    rounding: str = ...,
    mirror: int | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def filter(
    data: Operand,
    filter: Operand,
    fill_value: Operand | None = ...,
    /,
    *,
    anchor: int | Sequence[int] | DataNode = ...,
    border: str = ...,
    mode: str = ...,
    dtype: DTypeLike | None = ...,
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

def full(
    fill_value: Operand,
    /,
    *,
    shape: int | Sequence[int] | DataNode = ...,
    layout: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def full_like(
    data_like: Operand,
    fill_value: Operand,
    /,
    *,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def gaussian_blur(
    data: Operand,
    /,
    *,
    sigma: float | Sequence[float] | DataNode = ...,
    window_size: int | Sequence[int] | DataNode = ...,
    dtype: DTypeLike | None = ...,
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

def grid_mask(
    data: Operand,
    /,
    *,
    tile: int | DataNode = ...,
    ratio: float | DataNode = ...,
    angle: float | DataNode = ...,
    shift_x: float | DataNode = ...,
    shift_y: float | DataNode = ...,
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
    dtype: DTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def hue(
    data: Operand,
    /,
    *,
    hue: float | DataNode = ...,
    dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def jitter(
    data: Operand,
    /,
    *,
    nDegree: int = ...,
    mask: int | DataNode = ...,
    fill_value: float = ...,
    interp_type: InterpTypeLike = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def jpeg_compression_distortion(
    data: Operand,
    /,
    *,
    quality: int | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def keep(
    *data: Operand,
    where: bool | DataNode,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def laplacian(
    data: Operand,
    /,
    *,
    window_size: int | Sequence[int] | DataNode = ...,
    smoothing_size: int | Sequence[int] | DataNode = ...,
    scale: float | Sequence[float] | DataNode = ...,
    normalized_kernel: bool = ...,
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def lookup_table(
    data: Operand,
    /,
    *,
    keys: int | Sequence[int] = ...,
    values: float | Sequence[float] = ...,
    default_value: float = ...,
    dtype: DTypeLike = ...,
    output_dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def mel_filter_bank(
    data: Operand,
    /,
    *,
    nfilter: int = ...,
    sample_rate: float = ...,
    freq_low: float = ...,
    freq_high: float = ...,
    normalize: bool = ...,
    mel_formula: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def mfcc(
    data: Operand,
    /,
    *,
    n_mfcc: int = ...,
    dct_type: int = ...,
    normalize: bool = ...,
    axis: int = ...,
    lifter: float = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def multi_paste(
    *data: Operand,
    in_ids: int | Sequence[int] | DataNode = ...,
    output_size: int | Sequence[int] | DataNode = ...,
    in_anchors: int | Sequence[int] | DataNode = ...,
    in_anchors_rel: float | Sequence[float] | DataNode = ...,
    shapes: int | Sequence[int] | DataNode = ...,
    shapes_rel: float | Sequence[float] | DataNode = ...,
    out_anchors: int | Sequence[int] | DataNode = ...,
    out_anchors_rel: float | Sequence[float] | DataNode = ...,
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def nonsilent_region(
    data: Operand,
    /,
    *,
    cutoff_db: float | DataNode = ...,
    window_length: int | DataNode = ...,
    reference_power: float | DataNode = ...,
    reset_interval: int | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode]: ...

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
    dtype: DTypeLike = ...,
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
    dtype: DTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def ones(
    *,
    shape: int | Sequence[int] | DataNode = ...,
    layout: str = ...,
    dtype: DTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def ones_like(
    data_like: Operand,
    /,
    *,
    dtype: DTypeLike | None = ...,
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

def paste(
    data: Operand,
    /,
    *,
    ratio: float | DataNode,
    fill_value: int | Sequence[int],
    paste_x: float | DataNode = ...,
    paste_y: float | DataNode = ...,
    min_canvas_size: float | DataNode = ...,
    n_channels: int = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def peek_image_shape(
    input: Operand,
    /,
    *,
    dtype: DTypeLike = ...,
    image_type: ImageTypeLike = ...,
    palette: str = ...,
    adjust_orientation: bool = ...,
    page: int | DataNode = ...,
    reduce: int = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def per_frame(
    data: Operand,
    /,
    *,
    replace: bool = ...,
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

def pitch_shift(
    data: Operand,
    /,
    *,
    n_steps: float | DataNode = ...,
    bins_per_octave: int = ...,
    nfft: int = ...,
    window_step: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def power_spectrum(
    data: Operand,
    /,
    *,
    nfft: int | None = ...,
    power: int = ...,
    axis: int = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def preemphasis_filter(
    data: Operand,
    /,
    *,
    preemph_coeff: float | DataNode = ...,
    border: str = ...,
    dtype: DTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def random_bbox_crop(
    boxes: Operand,
    labels: None = ...,
    /,
    *,
    aspect_ratio: float | Sequence[float] = ...,
    scaling: float | Sequence[float] = ...,
    thresholds: float | Sequence[float] = ...,
    threshold_type: str = ...,
    ltrb: bool = ...,
    bbox_layout: str = ...,
    shape_layout: str = ...,
    input_shape: int | Sequence[int] | DataNode = ...,
    crop_shape: int | Sequence[int] | DataNode = ...,
    num_attempts: int = ...,
    total_num_attempts: int | None = ...,
    all_boxes_above_threshold: bool = ...,
    allow_no_crop: bool = ...,
    output_bbox_indices: Literal[False] = ...,
    bbox_prune_threshold: float | None = ...,
    quiet: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode, DataNode]: ...

@overload
def random_bbox_crop(
    boxes: Operand,
    labels: None = ...,
    /,
    *,
    aspect_ratio: float | Sequence[float] = ...,
    scaling: float | Sequence[float] = ...,
    thresholds: float | Sequence[float] = ...,
    threshold_type: str = ...,
    ltrb: bool = ...,
    bbox_layout: str = ...,
    shape_layout: str = ...,
    input_shape: int | Sequence[int] | DataNode = ...,
    crop_shape: int | Sequence[int] | DataNode = ...,
    num_attempts: int = ...,
    total_num_attempts: int | None = ...,
    all_boxes_above_threshold: bool = ...,
    allow_no_crop: bool = ...,
    output_bbox_indices: Literal[True],
    bbox_prune_threshold: float | None = ...,
    quiet: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode, DataNode, DataNode]: ...

@overload
def random_bbox_crop(
    boxes: Operand,
    labels: Operand,
    /,
    *,
    aspect_ratio: float | Sequence[float] = ...,
    scaling: float | Sequence[float] = ...,
    thresholds: float | Sequence[float] = ...,
    threshold_type: str = ...,
    ltrb: bool = ...,
    bbox_layout: str = ...,
    shape_layout: str = ...,
    input_shape: int | Sequence[int] | DataNode = ...,
    crop_shape: int | Sequence[int] | DataNode = ...,
    num_attempts: int = ...,
    total_num_attempts: int | None = ...,
    all_boxes_above_threshold: bool = ...,
    allow_no_crop: bool = ...,
    output_bbox_indices: Literal[False] = ...,
    bbox_prune_threshold: float | None = ...,
    quiet: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode, DataNode, DataNode]: ...

@overload
def random_bbox_crop(
    boxes: Operand,
    labels: Operand,
    /,
    *,
    aspect_ratio: float | Sequence[float] = ...,
    scaling: float | Sequence[float] = ...,
    thresholds: float | Sequence[float] = ...,
    threshold_type: str = ...,
    ltrb: bool = ...,
    bbox_layout: str = ...,
    shape_layout: str = ...,
    input_shape: int | Sequence[int] | DataNode = ...,
    crop_shape: int | Sequence[int] | DataNode = ...,
    num_attempts: int = ...,
    total_num_attempts: int | None = ...,
    all_boxes_above_threshold: bool = ...,
    allow_no_crop: bool = ...,
    output_bbox_indices: Literal[True],
    bbox_prune_threshold: float | None = ...,
    quiet: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode, DataNode, DataNode, DataNode]: ...

@overload
def random_bbox_crop(
    boxes: Operand,
    labels: Operand | None = ...,
    /,
    *,
    aspect_ratio: float | Sequence[float] = ...,
    scaling: float | Sequence[float] = ...,
    thresholds: float | Sequence[float] = ...,
    threshold_type: str = ...,
    ltrb: bool = ...,
    bbox_layout: str = ...,
    shape_layout: str = ...,
    input_shape: int | Sequence[int] | DataNode = ...,
    crop_shape: int | Sequence[int] | DataNode = ...,
    num_attempts: int = ...,
    total_num_attempts: int | None = ...,
    all_boxes_above_threshold: bool = ...,
    allow_no_crop: bool = ...,
    output_bbox_indices: bool = ...,
    bbox_prune_threshold: float | None = ...,
    quiet: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, ...]: ...

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
) -> tuple[DataNode, DataNode]: ...

def random_resized_crop(
    data: Operand,
    /,
    *,
    size: int | Sequence[int],
    random_aspect_ratio: float | Sequence[float] = ...,
    random_area: float | Sequence[float] = ...,
    num_attempts: int = ...,
    interp_type: InterpTypeLike | DataNode = ...,
    mag_filter: InterpTypeLike | DataNode = ...,
    min_filter: InterpTypeLike | DataNode = ...,
    antialias: bool = ...,
    dtype: DTypeLike | None = ...,
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
    dtype: DTypeLike | None = ...,
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

def resize_crop_mirror(
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
    crop: float | Sequence[float] | DataNode = ...,
    crop_d: float | DataNode = ...,
    crop_h: float | DataNode = ...,
    crop_w: float | DataNode = ...,
    crop_pos_x: float | DataNode = ...,
    crop_pos_y: float | DataNode = ...,
    crop_pos_z: float | DataNode = ...,
    rounding: str = ...,
    mirror: int | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def roi_random_crop(
    data: Operand | None = ...,
    /,
    *,
    crop_shape: int | Sequence[int] | DataNode,
    roi_start: int | Sequence[int] | DataNode,
    roi_shape: int | Sequence[int] | DataNode = ...,
    roi_end: int | Sequence[int] | DataNode = ...,
    in_shape: int | Sequence[int] | DataNode = ...,
    seed: int | None = ...,
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
    interp_type: InterpTypeLike = ...,
    dtype: DTypeLike | None = ...,
    output_dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def saturation(
    data: Operand,
    /,
    *,
    saturation: float | DataNode = ...,
    dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def sequence_rearrange(
    sequence: Operand,
    /,
    *,
    new_order: int | Sequence[int] | DataNode,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def shapes(
    data: Operand,
    /,
    *,
    dtype: DTypeLike = ...,
    type: DTypeLike | None = ...,
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
    dtype: DTypeLike | None = ...,
    output_dtype: DTypeLike | None = ...,
    image_type: ImageTypeLike | None = ...,
    out_of_bounds_policy: str = ...,
    fill_values: float | Sequence[float] = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def spec_augment(
    data: Operand,
    /,
    *,
    n_freq_masks: int | DataNode = ...,
    freq_mask_param: int | DataNode = ...,
    n_time_masks: int | DataNode = ...,
    time_mask_param: int | DataNode = ...,
    p: float | DataNode = ...,
    mask_value: float | DataNode = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def spectrogram(
    data: Operand,
    /,
    *,
    nfft: int | None = ...,
    window_length: int = ...,
    window_step: int = ...,
    window_fn: float | Sequence[float] = ...,
    power: int = ...,
    center_windows: bool = ...,
    reflect_padding: bool = ...,
    layout: str = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def sphere(
    data: Operand,
    /,
    *,
    mask: int | DataNode = ...,
    fill_value: float = ...,
    interp_type: InterpTypeLike = ...,
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

def ssd_random_crop(
    image: Operand,
    boxes: Operand,
    labels: Operand,
    /,
    *,
    num_attempts: int = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode, DataNode]: ...

def stack(
    *data: Operand,
    axis: int = ...,
    axis_name: str | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def tensor_resize(
    data: Operand,
    /,
    *,
    sizes: float | Sequence[float] | DataNode = ...,
    scales: float | Sequence[float] | DataNode = ...,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    alignment: float | Sequence[float] | DataNode = ...,
    size_rounding: str = ...,
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
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def time_stretch(
    data: Operand,
    /,
    *,
    rate: float | DataNode = ...,
    nfft: int = ...,
    window_step: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def to_decibels(
    data: Operand,
    /,
    *,
    multiplier: float = ...,
    reference: float | None = ...,
    cutoff_db: float = ...,
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
    interp_type: InterpTypeLike = ...,
    dtype: DTypeLike | None = ...,
    output_dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def water(
    data: Operand,
    /,
    *,
    ampl_x: float = ...,
    ampl_y: float = ...,
    freq_x: float = ...,
    freq_y: float = ...,
    phase_x: float = ...,
    phase_y: float = ...,
    mask: int | DataNode = ...,
    fill_value: float = ...,
    interp_type: InterpTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def zeros(
    *,
    shape: int | Sequence[int] | DataNode = ...,
    layout: str = ...,
    dtype: DTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def zeros_like(
    data_like: Operand,
    /,
    *,
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...
