"""Cases: results of operators on pictures, in each form that their arguments have."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types

from catalogue import Group

case = Group("values")

RANDOM = np.random.RandomState(3)
PICTURES = [RANDOM.randint(0, 256, (7 + k, 9 - k, 3)).astype(np.uint8) for k in range(3)]


def pictures(layout: str | None = "HWC", dtype: Any = np.uint8) -> Any:
    return fn.external_source(source=lambda: [picture.astype(dtype) for picture in PICTURES], layout=layout)


def numbers(values: Any, dtype: Any = np.int32) -> Any:
    return fn.external_source(source=lambda: [np.array(value, dtype) for value in values])


case.outputs_table(
    {
        "resize_all_interp": lambda: tuple(
            (
                fn.resize(pictures(), size=[5, 6], interp_type=t)
                for t in (
                    types.INTERP_NN,
                    types.INTERP_LINEAR,
                    types.INTERP_CUBIC,
                    types.INTERP_LANCZOS3,
                    types.INTERP_TRIANGULAR,
                )
            )
        ),
        "resize_modes": lambda: tuple(
            (fn.resize(pictures(), size=[5, 6], mode=t) for t in ("default", "stretch", "not_larger", "not_smaller"))
        ),
        "resize_shorter": lambda: (
            fn.resize(pictures(), resize_shorter=5),
            fn.resize(pictures(), resize_longer=5),
            fn.resize(pictures(), resize_x=4),
            fn.resize(pictures(), resize_y=4),
            fn.resize(pictures(), resize_shorter=5, max_size=6),
        ),
        "resize_region": lambda: fn.resize(pictures(), size=[4, 4], roi_start=[1, 1], roi_end=[5, 6]),
        "resize_region_rel": lambda: fn.resize(
            pictures(), size=[4, 4], roi_start=[0.1, 0.1], roi_end=[0.8, 0.9], roi_relative=True
        ),
        "resize_tensor_size": lambda: fn.resize(pictures(), size=fn.constant(fdata=[4.0, 5.0], shape=[2])),
        "resize_type": lambda: fn.resize(pictures(), size=[4, 4], dtype=types.FLOAT),
        "resize_min_and_mag_filters": lambda: fn.resize(
            pictures(), size=[4, 14], min_filter=types.INTERP_NN, mag_filter=types.INTERP_CUBIC
        ),
        "resize_no_antialias": lambda: fn.resize(pictures(), size=[4, 4], antialias=False),
        "resize_negative": lambda: fn.resize(pictures(), size=[-4, 5]),
        "crop": lambda: (
            fn.crop(pictures(), crop=(4, 4)),
            fn.crop(pictures(), crop=(4, 4), crop_pos_x=0.1, crop_pos_y=0.9),
            fn.crop(pictures(), crop_h=3),
            fn.crop(pictures(), crop=(10, 10), out_of_bounds_policy="pad", fill_values=[1, 2, 3]),
            fn.crop(pictures(), crop=(10, 10), out_of_bounds_policy="trim_to_shape"),
        ),
        "crop_rounding": lambda: (
            fn.crop(pictures(), crop=(4, 4), rounding="round"),
            fn.crop(pictures(), crop=(4, 4), rounding="truncate"),
        ),
        "crop_mirror_normalize": lambda: (
            fn.crop_mirror_normalize(pictures()),
            fn.crop_mirror_normalize(pictures(), mean=[1, 2, 3], std=[2, 3, 4], mirror=1),
            fn.crop_mirror_normalize(pictures(), output_layout="HWC", dtype=types.UINT8),
            fn.crop_mirror_normalize(pictures(), pad_output=True),
            fn.crop_mirror_normalize(pictures(), scale=2.0, shift=3.0, dtype=types.FLOAT16),
        ),
        "slice_forms": lambda: (
            fn.slice(pictures(), start=[1, 1], end=[4, 4], axes=[0, 1]),
            fn.slice(pictures(), [0.1, 0.2], [0.5, 0.5]),
            fn.slice(pictures(), rel_start=[0.1], rel_shape=[0.5], axis_names="H"),
            fn.slice(pictures(), start=[-2], shape=[4], axes=[0], out_of_bounds_policy="pad", fill_values=[9]),
            fn.slice(pictures(), start=[5], shape=[40], axes=[0], out_of_bounds_policy="trim_to_shape"),
        ),
        "pad_forms": lambda: (
            fn.pad(pictures()),
            fn.pad(pictures(), axes=[0], shape=[12]),
            fn.pad(pictures(), axis_names="W", align=[4], fill_value=3),
            fn.pad(pictures(), axis_names=""),
            fn.pad(pictures(), axes=[]),
        ),
        "one_hot": lambda: (
            fn.one_hot(numbers([0, 1, 5]), num_classes=4),
            fn.one_hot(numbers([[0, 1], [2, 3], [1, 1]]), num_classes=4),
            fn.one_hot(numbers([[1], [2], [3]]), num_classes=4),
            fn.one_hot(numbers([[1, 1]] * 3), num_classes=4, axis=0),
            fn.one_hot(numbers([1, 2, 3]), num_classes=4, on_value=5, off_value=-1, dtype=types.INT8),
        ),
        "one_hot_mixed": lambda: fn.one_hot(
            fn.external_source(
                source=lambda: [np.array([1], np.int32), np.array([1, 2], np.int32), np.array([2], np.int32)]
            ),
            num_classes=3,
        ),
        "squeeze_empty": lambda: (
            fn.squeeze(numbers(np.zeros((3, 1, 0))), axes=[0]),
            fn.squeeze(numbers(np.zeros((3, 0, 1))), axes=[1]),
            fn.squeeze(numbers(np.zeros((3, 1, 1))), axes=[0, 1]),
            fn.squeeze(numbers(np.zeros((3, 1, 1))), axes=[]),
        ),
        "squeeze_names": lambda: fn.squeeze(fn.reshape(pictures(), shape=[1, -1, 3], layout="HWC"), axis_names="H"),
        "expand_dims": lambda: (
            fn.expand_dims(pictures(), axes=[0], new_axis_names="F"),
            fn.expand_dims(pictures(), axes=[0, 3]),
            fn.expand_dims(pictures(None), axes=[1], new_axis_names=""),
        ),
    }
)
