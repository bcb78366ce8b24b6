"""Cases: mistakes in the arguments of operators on pictures."""

from __future__ import annotations

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types

from catalogue import Group
from pipelines import floats, ones

case = Group("errors")

case.outputs_table(
    {
        "crop_out": lambda: fn.crop(ones(), crop=(10, 10)),
        "crop_negative": lambda: fn.crop(ones(), crop=(-1, 2)),
        "crop_bad_policy": lambda: fn.crop(ones(), crop=(2, 2), out_of_bounds_policy="nonsense"),
        "crop_of_one_number": lambda: fn.crop(ones(), crop=(2,)),
        "crop_and_crop_w": lambda: fn.crop(ones(), crop=(2, 2), crop_w=2),
        "crop_w_only": lambda: fn.crop(ones(), crop_w=2),
        "crop_layout": lambda: fn.crop(ones(layout="XYZ"), crop=(2, 2)),
        "slice_out": lambda: fn.slice(ones(), start=[5], end=[9], axes=[0]),
        "slice_rel_out": lambda: fn.slice(ones(), rel_start=[0.5], rel_end=[1.5], axes=[0]),
        "slice_start_after_end": lambda: fn.slice(ones(), start=[2], end=[1], axes=[0]),
        "slice_bad_axis": lambda: fn.slice(ones(), start=[0], end=[1], axes=[7]),
        "slice_negative_axis": lambda: fn.slice(ones(), start=[0], end=[1], axes=[-3]),
        "slice_bad_axis_name": lambda: fn.slice(ones(), start=[0], end=[1], axis_names="Q"),
        "slice_axes_and_names": lambda: fn.slice(ones(), start=[0], end=[1], axes=[0], axis_names="H"),
        "slice_count": lambda: fn.slice(ones(), start=[0, 1, 2], end=[1, 2], axes=[0, 1]),
        "slice_both": lambda: fn.slice(ones(), start=[0], rel_start=[0.1], axes=[0]),
        "resize_no_size": lambda: fn.resize(ones()),
        "resize_size_and_width": lambda: fn.resize(ones(), size=[2, 2], resize_x=3),
        "resize_negative": lambda: fn.resize(ones(), resize_x=-3, resize_y=2),
        "resize_zero": lambda: fn.resize(ones(), resize_x=0, resize_y=2),
        "resize_mode": lambda: fn.resize(ones(), size=[2, 2], mode="nonsense"),
        "resize_layout": lambda: fn.resize(ones(layout="XYZ"), size=[2, 2]),
        "resize_no_layout": lambda: fn.resize(ones(layout=None), size=[2, 2]),
        "resize_type": lambda: fn.resize(ones(), size=[2, 2], dtype=types.INT64),
        "resize_rank": lambda: fn.resize(ones((3,), layout=None), size=[2, 2]),
        "resize_shorter_and_mode": lambda: fn.resize(ones(), resize_shorter=2, mode="stretch"),
        "resize_longer_shorter": lambda: fn.resize(ones(), resize_shorter=2, resize_longer=4),
        "crop_mirror_normalize_type": lambda: fn.crop_mirror_normalize(ones(), dtype=types.INT64),
        "crop_mirror_normalize_mean_count": lambda: fn.crop_mirror_normalize(ones(), mean=[1, 2]),
        "crop_mirror_normalize_std_zero": lambda: fn.crop_mirror_normalize(ones(), std=[0.0]),
        "crop_mirror_normalize_layout": lambda: fn.crop_mirror_normalize(ones(), output_layout="CWH"),
        "crop_mirror_normalize_layout_bad": lambda: fn.crop_mirror_normalize(ones(), output_layout="QQ"),
        "transpose_permutation": lambda: fn.transpose(ones(), perm=[0, 0, 1]),
        "transpose_len": lambda: fn.transpose(ones(), perm=[0, 1]),
        "transpose_negative": lambda: fn.transpose(ones(), perm=[-1, 0, 1]),
        "reshape_count": lambda: fn.reshape(ones(), shape=[5, 5]),
        "reshape_two_negative": lambda: fn.reshape(ones(), shape=[-1, -1]),
        "reshape_both": lambda: fn.reshape(ones(), shape=[36], rel_shape=[1.0]),
        "reshape_none": lambda: fn.reshape(ones()),
        "reshape_layout_rank": lambda: fn.reshape(ones(), shape=[36], layout="HWC"),
        "reshape_negative_indivisible": lambda: fn.reshape(ones(), shape=[-1, 7]),
        "squeeze_non1": lambda: fn.squeeze(ones(), axes=[0]),
        "squeeze_out": lambda: fn.squeeze(ones(), axes=[5]),
        "squeeze_none": lambda: fn.squeeze(ones()),
        "squeeze_names": lambda: fn.squeeze(ones((1, 4, 3)), axis_names="Q"),
        "expand_out": lambda: fn.expand_dims(ones(), axes=[9]),
        "expand_negative": lambda: fn.expand_dims(ones(), axes=[-1]),
        "expand_none": lambda: fn.expand_dims(ones()),
        "expand_twice": lambda: fn.expand_dims(ones(), axes=[1, 1]),
        "cat_shape": lambda: fn.cat(ones(), ones((3, 5, 2)), axis=0),
        "cat_type": lambda: fn.cat(ones(), ones(dtype=np.float32), axis=0),
        "cat_axis": lambda: fn.cat(ones(), ones(), axis=5),
        "cat_axis_name": lambda: fn.cat(ones(), ones(), axis_name="Q"),
        "cat_axis_and_name": lambda: fn.cat(ones(), ones(), axis=0, axis_name="H"),
        "stack_shape": lambda: fn.stack(ones(), ones((3, 4, 2))),
        "stack_axis": lambda: fn.stack(ones(), ones(), axis=7),
        "stack_name": lambda: fn.stack(ones(), ones(), axis_name="HW"),
        "pad_axes": lambda: fn.pad(ones(), axes=[7]),
        "pad_shape_count": lambda: fn.pad(ones(), axes=[0], shape=[3, 4]),
        "pad_align_zero": lambda: fn.pad(ones(), align=[0]),
        "pad_names": lambda: fn.pad(ones(), axis_names="Q"),
        "pad_empty_names": lambda: fn.pad(ones(), axis_names=""),
        "one_hot_classes": lambda: fn.one_hot(floats(), num_classes=0),
        "one_hot_negative_axis": lambda: fn.one_hot(floats(), num_classes=3, axis=-2),
        "one_hot_axis_out": lambda: fn.one_hot(floats(), num_classes=3, axis=4),
        "one_hot_scalar": lambda: fn.one_hot(
            fn.external_source(source=lambda: [np.array(1, np.int32)] * 3), num_classes=3
        ),
        "one_hot_of_one_number": lambda: fn.one_hot(
            fn.external_source(source=lambda: [np.array([1], np.int32)] * 3), num_classes=3
        ),
        "flip_layout": lambda: fn.flip(ones(layout="XYZ")),
        "rotate_no_angle": lambda: fn.rotate(ones()),
        "rotate_axis": lambda: fn.rotate(ones(), angle=30, axis=(0, 0, 1)),
        "rotate_rank": lambda: fn.rotate(floats(), angle=30),
        "warp_no_matrix": lambda: fn.warp_affine(ones()),
        "gaussian_none": lambda: fn.gaussian_blur(ones()),
        "gaussian_even": lambda: fn.gaussian_blur(ones(), window_size=4),
        "gaussian_negative": lambda: fn.gaussian_blur(ones(), sigma=-1.0),
    }
)
