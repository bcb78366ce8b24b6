"""Cases: mistakes that are seen when a pipeline runs."""

from __future__ import annotations

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types

from catalogue import Group
from pipelines import numbered, ones, vectors

case = Group("errors")

case.outputs_table(
    {
        "int_div_zero": lambda: fn.constant(idata=[4], shape=[1]) // (numbered() * 0),
        "int_modulo_zero": lambda: fn.constant(idata=[4], shape=[1]) % (numbered() * 0),
        "reduce_axis_negative_out": lambda: fn.reductions.mean(ones(), axes=[-9]),
        "pad_axis_out": lambda: fn.pad(ones(), axes=[9]),
        "permute_out_when_run": lambda: fn.permute_batch(ones(), indices=[0, 1, 9]),
        "permute_negative": lambda: fn.permute_batch(ones(), indices=[0, 1, -1]),
        "permute_count": lambda: fn.permute_batch(ones(), indices=[0, 1]),
        "gaussian_blur_rank": lambda: fn.gaussian_blur(ones((4,), layout=None), sigma=1.0),
        "crop_mirror_normalize_rank": lambda: fn.crop_mirror_normalize(ones((4,), layout=None)),
        "crop_mirror_normalize_layout_when_run": lambda: fn.crop_mirror_normalize(ones(layout="XYZ")),
        "hsv_layout": lambda: fn.hsv(ones(layout="CHW")),
        "color_rank": lambda: fn.brightness(ones((4,), layout=None), brightness=2.0),
        "flip_rank": lambda: fn.flip(ones((4,), layout=None)),
        "warp_rank": lambda: fn.warp_affine(ones((4,), layout=None), matrix=[1, 0, 0, 0, 1, 0]),
        "resize_type_when_run": lambda: fn.resize(ones(dtype=np.int64), size=[2, 2]),
        "resize_bool": lambda: fn.resize(ones(dtype=bool), size=[2, 2]),
        "erase_layout": lambda: fn.erase(ones(layout="XYZ"), anchor=[0, 0], shape=[1, 1], axis_names="HW"),
        "slice_names_layout": lambda: fn.slice(ones(layout=None), start=[0], end=[1], axis_names="H"),
        "coordinates_rank": lambda: fn.coord_transform(ones((4,), np.float32, None), MT=[1, 0, 0, 0, 1, 0]),
        "one_hot_type": lambda: fn.one_hot(ones((2,), np.float64, None), num_classes=2),
        "lookup_table_float": lambda: fn.lookup_table(ones((2,), np.float32, None), keys=[1], values=[1.0]),
        "jpeg_rank": lambda: fn.jpeg_compression_distortion(ones((4,), layout=None)),
        "water_rank": lambda: fn.water(ones((4,), layout=None)),
        "laplacian_rank": lambda: fn.laplacian(ones((4,), layout=None)),
        "clahe_rank": lambda: fn.clahe(ones((4,), layout=None)),
        "equalize_type": lambda: fn.experimental.equalize(ones(dtype=np.float32)),
        "element_layout": lambda: tuple(fn.element_extract(ones(), element_map=[0])),
        "rearrange_layout": lambda: fn.sequence_rearrange(ones(), new_order=[0]),
        "expand_layout": lambda: fn.expand_dims(ones(), axes=[0], new_axis_names="HW"),
        "squeeze_axis_negative": lambda: fn.squeeze(ones((1, 2, 1)), axes=[-1]),
        "reshape_source": lambda: fn.reshape(ones(), src_dims=[0, 9]),
        "reinterpret_indivisible_extent": lambda: fn.reinterpret(ones((3,), layout=None), dtype=types.FLOAT64),
        "cast_empty_range": lambda: fn.slice(ones(), start=[9], shape=[1], axes=[0]),
        "random_resized_crop_area": lambda: fn.random_resized_crop(ones(), size=[2, 2], random_area=[2.0, 1.0]),
        "random_resized_crop_ratio": lambda: fn.random_resized_crop(
            ones(), size=[2, 2], random_aspect_ratio=[-1.0, 1.0]
        ),
        "bbox_crop_threshold": lambda: fn.random_bbox_crop(ones((2, 4), np.float32, None), thresholds=[2.0])[0],
        "box_encoder_type": lambda: tuple(
            fn.box_encoder(ones((2, 4), np.int32, None), ones((2,), np.int32, None), anchors=[0.1, 0.1, 0.5, 0.5])
        ),
        "path_that_is_none": lambda: fn.io.file.read(ones((3,), layout=None)),
        "arithmetic_rank5": lambda: ones((1, 1, 1, 1, 1, 1, 1), layout=None) + fn.constant(idata=[1, 2], shape=[2]),
        "index_1d_negative": lambda: vectors()[-7],
        "python_function_index": lambda: fn.python_function(vectors(), function=lambda v: v[99]),
    }
)
