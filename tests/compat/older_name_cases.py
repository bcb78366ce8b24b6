"""Cases: older names of operators and arguments, which warn."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.ops as ops
import nvidia.dali.types as types

from catalogue import Group
from files import one_file
from pipelines import ones

case = Group("errors")


def encoded() -> Any:
    return fn.external_source(source=lambda: [np.zeros(3, np.uint8)] * 3)


def beside(node: Any) -> Any:
    """An output beside a node that is made and does not run."""
    assert node is not None
    return ones()


case.outputs_table(
    {
        "older_image_decoder": lambda: beside(fn.image_decoder(encoded())),
        "older_coin_flip": lambda: fn.coin_flip(probability=1.0),
        "older_uniform": lambda: fn.uniform(range=(1.0, 1.0)),
        "older_normal": lambda: fn.normal_distribution(stddev=0.0),
        "older_file_reader": lambda: fn.file_reader(files=[one_file()])[1],
        "older_color_twist": lambda: fn.color_twist(ones(), image_type=types.RGB),
        "older_hsv_argument": lambda: fn.brightness_contrast(ones(), image_type=types.RGB),
        "older_crop_image_type": lambda: fn.crop(ones(), crop=(2, 2), image_type=types.RGB),
        "older_crop_mirror_normalize_image_type": lambda: fn.crop_mirror_normalize(ones(), image_type=types.RGB),
        "older_crop_mirror_normalize_output_type": lambda: fn.crop_mirror_normalize(ones(), output_dtype=types.FLOAT),
        "older_resize_save_attributes": lambda: fn.resize(ones(), size=[2, 2], save_attrs=True)[0],
        "older_resize_image_type": lambda: fn.resize(ones(), size=[2, 2], image_type=types.RGB),
        "older_resize_buffer_hint": lambda: fn.resize(ones(), size=[2, 2], temp_buffer_hint=3),
        "older_warp_output_type": lambda: fn.warp_affine(ones(), matrix=[1, 0, 0, 0, 1, 0], output_dtype=types.FLOAT),
        "older_rotate_output_type": lambda: fn.rotate(ones(), angle=0, output_dtype=types.FLOAT),
        "older_slice_image_type": lambda: fn.slice(ones(), start=[0], end=[1], axes=[0], image_type=types.RGB),
        "older_crop_output_type": lambda: fn.crop(ones(), crop=(2, 2), output_dtype=types.FLOAT),
        "older_transform_translation": lambda: fn.transform_translation(offset=[1, 2]),
        "older_erase": lambda: fn.erase(ones(), anchor=[0, 0], shape=[1, 1]),
        "older_sphere_image_type": lambda: fn.sphere(ones(), image_type=types.RGB),
        "older_water_image_type": lambda: fn.water(ones(), image_type=types.RGB, ampl_x=0, ampl_y=0),
        "older_hue": lambda: fn.hue(ones(), hue=0, image_type=types.RGB),
        "older_seed_on_deterministic": lambda: fn.cast(ones(), dtype=types.INT32, seed=3),
        "older_experimental_decoders": lambda: beside(fn.experimental.decoders.image(encoded())),
        "older_peek": lambda: beside(fn.experimental.peek_image_shape(encoded())),
        "older_reader_options": lambda: fn.readers.file(
            files=[one_file()],
            lazy_init=True,
            read_ahead=True,
            prefetch_queue_depth=2,
            tensor_init_bytes=5,
            skip_cached_images=False,
            dont_use_mmap=True,
        )[1],
        "older_operator_file_reader": lambda: ops.FileReader(files=[one_file()])()[1],
        "older_operator_uniform": lambda: ops.Uniform(range=(1.0, 1.0))(),
        "older_operator_coin_flip": lambda: ops.CoinFlip(probability=1.0)(),
        "older_operator_image_decoder": lambda: beside(ops.ImageDecoder()(encoded())),
        "older_normalize_type": lambda: fn.normalize(ones(), output_dtype=types.FLOAT),
    }
)
