"""Cases: mistakes in the arguments of the other operators, and in what they are given."""

from __future__ import annotations

import numpy as np
import nvidia.dali as dali
import nvidia.dali.fn as fn
import nvidia.dali.math as math
import nvidia.dali.ops as ops
import nvidia.dali.types as types

from catalogue import Group
from pipelines import floats, ones

case = Group("errors")

case.outputs_table(
    {
        "normalize_axes": lambda: fn.normalize(ones(), axes=[9]),
        "normalize_names": lambda: fn.normalize(ones(), axis_names="Q"),
        "normalize_both": lambda: fn.normalize(ones(), axes=[0], axis_names="H"),
        "reduce_axis": lambda: fn.reductions.sum(ones(), axes=[5]),
        "reduce_axis_negative": lambda: fn.reductions.sum(ones(), axes=[-1]),
        "reduce_twice": lambda: fn.reductions.sum(ones(), axes=[0, 0]),
        "reduce_names": lambda: fn.reductions.sum(ones(), axis_names="Q"),
        "reduce_both": lambda: fn.reductions.sum(ones(), axes=[0], axis_names="H"),
        "reduce_type": lambda: fn.reductions.sum(ones(), dtype=types.BOOL),
        "uniform_range": lambda: fn.random.uniform(range=(1.0,)),
        "uniform_range_reversed": lambda: fn.random.uniform(range=(1.0, 0.0)),
        "coin_flip_probability_above_one": lambda: fn.random.coin_flip(probability=1.5),
        "choice_zero": lambda: fn.random.choice(0),
        "choice_p": lambda: fn.random.choice(3, p=[0.5, 0.5]),
        "choice_p_sum": lambda: fn.random.choice(2, p=[0.5, 0.6]),
        "beta_negative": lambda: fn.random.beta(alpha=-1.0),
        "shape_negative": lambda: fn.random.uniform(shape=[-1]),
        "lookup_table_type": lambda: fn.lookup_table(floats(), keys=[0], values=[1.0]),
        "lookup_table_count": lambda: fn.lookup_table(ones(), keys=[0, 1], values=[1.0]),
        "hue_of_two_channels": lambda: fn.hsv(ones((3, 4, 2)), hue=10),
        "color_space_of_two_channels": lambda: fn.color_space_conversion(
            ones((3, 4, 2)), image_type=types.RGB, output_type=types.GRAY
        ),
        "cast_no_type": lambda: fn.cast(ones()),
        "cast_of_two_inputs": lambda: fn.cast(ones(), ones(), dtype=types.FLOAT),
        "cast_string_type": lambda: fn.cast(ones(), dtype=types.STRING),
        "cast_zero_inputs": lambda: fn.cast(dtype=types.FLOAT),
        "reinterpret_size": lambda: fn.reinterpret(ones((3,), layout=None), dtype=types.INT32),
        "box_encoder_anchors": lambda: fn.box_encoder(
            floats((2, 4)), fn.cast(floats((2,)), dtype=types.INT32), anchors=[0.1, 0.2]
        )[0],
        "random_bbox_type": lambda: fn.random_bbox_crop(floats((2, 3)))[0],
        "coordinates_flip_layout": lambda: fn.coord_flip(floats((2, 2)), layout="q"),
        "coordinates_transform_m": lambda: fn.coord_transform(floats((2, 2)), M=[1, 2, 3]),
        "permute_out": lambda: fn.permute_batch(ones(), indices=[0, 5, 1]),
        "element_extract_out": lambda: fn.element_extract(ones(), element_map=[0, 9]),
        "sequence_rearrange": lambda: fn.sequence_rearrange(ones(layout="FHW"), new_order=[0, 9]),
        "sequence_rearrange_empty": lambda: fn.sequence_rearrange(ones(layout="FHW"), new_order=[]),
        "erase_count": lambda: fn.erase(ones(), anchor=[0, 0, 0], shape=[1, 1], axis_names="HW"),
        "grid_mask_tile_zero": lambda: fn.grid_mask(ones(), tile=0),
        "multi_paste_outside": lambda: fn.multi_paste(
            ones(), output_size=[4, 4], in_anchors=np.int32([[9, 9]]), shapes=np.int32([[3, 3]])
        ),
        "constant_neither": lambda: fn.constant(shape=[1]),
        "constant_both": lambda: fn.constant(idata=1, fdata=1.0, shape=[1]),
        "constant_count": lambda: fn.constant(idata=[1, 2], shape=[3]),
        "get_property_bad": lambda: fn.get_property(ones(), key="nonsense"),
        "unknown_function": lambda: fn.nonsense(ones()),
        "unknown_operators": lambda: ops.Nonsense(),
        "unknown_math": lambda: math.nonsense(ones()),
        "unknown_types": lambda: types.NONSENSE,
        "positional_constant_argument": lambda: fn.resize(ones(), [2, 2]),
        "older_and_newer_name_at_once": lambda: fn.normalize(
            ones(), mean=1.0, dtype=types.FLOAT, output_type=types.FLOAT
        ),
        "layout_too_short": lambda: fn.reshape(ones(), layout="HW"),
        "seed_str": lambda: fn.random.uniform(seed="a"),
        "input_dali_list": lambda: fn.cast(dali.tensors.TensorListCPU(np.zeros((3, 2))), dtype=types.FLOAT),
        "input_dict": lambda: fn.cast({"a": 1}, dtype=types.FLOAT),
        "input_none": lambda: fn.cast(None, dtype=types.FLOAT),
        "input_str": lambda: fn.cast("abc", dtype=types.FLOAT),
        "input_complex": lambda: fn.cast(1j, dtype=types.FLOAT),
        "input_object": lambda: fn.cast(object(), dtype=types.FLOAT),
        "subscript_out": lambda: ones()[9],
        "subscript_rank": lambda: ones()[0, 0, 0, 0],
        "arithmetic_shape": lambda: ones() + floats((7,)),
        "bitand_float": lambda: floats() & floats(),
        "shift_float": lambda: floats() << 1,
        "bool_minus": lambda: (floats() > 0) - (floats() > 0),
        "bool_negative": lambda: -(floats() > 0),
        "bool_mul": lambda: (floats() > 0) * (floats() > 0),
        "math_bool": lambda: math.sqrt(floats() > 0),
        "math_abs_bool": lambda: math.abs(floats() > 0),
        "clamp_with_one_bound": lambda: math.clamp(floats(), 1),
        "jpeg_quality": lambda: fn.jpeg_compression_distortion(ones(), quality=1000),
        "salt_and_pepper_probability_above_one": lambda: fn.noise.salt_and_pepper(ones(), prob=2.0),
        "zeros_negative": lambda: fn.zeros(shape=[-2]),
        "full_shape": lambda: fn.full(np.ones(3, np.int32), shape=[2]),
        "transforms_bad": lambda: fn.transforms.translation(offset=[]),
        "transforms_crop": lambda: fn.transforms.crop(from_start=[0], from_end=[1], to_start=[0, 0], to_end=[1, 1]),
        "transforms_combine": lambda: fn.transforms.combine(floats((2, 3)), floats((3, 4))),
        "transforms_scale": lambda: fn.transforms.scale(scale=[1, 2], center=[1]),
        "remap_of_floats": lambda: fn.experimental.remap(ones(), floats((2, 2)), floats((2, 2))),
        "numpy_decode": lambda: fn.decoders.numpy(ones((10,), layout=None)),
    }
)
