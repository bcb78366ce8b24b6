"""Cases: results of the other operators, in each form that their arguments have."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.math as math
import nvidia.dali.types as types

from catalogue import Group
from pipelines import ones

case = Group("values")

RANDOM = np.random.RandomState(3)
PICTURES = [RANDOM.randint(0, 256, (7 + k, 9 - k, 3)).astype(np.uint8) for k in range(3)]


def pictures(layout: str | None = "HWC", dtype: Any = np.uint8) -> Any:
    return fn.external_source(source=lambda: [picture.astype(dtype) for picture in PICTURES], layout=layout)


def numbers(values: Any, dtype: Any = np.int32) -> Any:
    return fn.external_source(source=lambda: [np.array(value, dtype) for value in values])


def png() -> Any:
    """A picture as a file: rising bytes, five rows of four pixels."""
    pixels = (np.arange(5 * 4 * 3) * 4 % 256).astype(np.uint8).reshape(5, 4, 3)
    file = png_of(pixels)
    return fn.external_source(source=lambda: [np.frombuffer(file, np.uint8)] * 3)


def png_of(pixels: np.ndarray) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


case.outputs_table(
    {
        "reshape": lambda: (
            fn.reshape(pictures(), shape=[-1, 3]),
            fn.reshape(pictures(), src_dims=[1, 0, 2]),
            fn.reshape(pictures(), layout="XYZ"),
        ),
        "reshape_by_a_new_axis": lambda: fn.reshape(pictures(), src_dims=[-1, 0, 1, 2]),
        "reinterpret": lambda: (
            fn.reinterpret(pictures(), dtype=types.INT8),
            fn.reinterpret(pictures(dtype=np.int32), dtype=types.UINT8),
            fn.reinterpret(pictures(dtype=np.int32), dtype=types.FLOAT),
        ),
        "transpose": lambda: (
            fn.transpose(pictures(), perm=[2, 0, 1]),
            fn.transpose(pictures(), perm=[2, 0, 1], transpose_layout=False),
            fn.transpose(pictures(), perm=[1, 0, 2], output_layout="ABC"),
        ),
        "flip": lambda: (
            fn.flip(pictures()),
            fn.flip(pictures(), horizontal=0, vertical=1),
            fn.flip(pictures(), horizontal=numbers([0, 1, 0]), vertical=numbers([1, 1, 0])),
        ),
        "rotate": lambda: (
            fn.rotate(pictures(), angle=30.0),
            fn.rotate(pictures(), angle=90.0, keep_size=True),
            fn.rotate(pictures(), angle=45.0, fill_value=3, interp_type=types.INTERP_NN),
            fn.rotate(pictures(), angle=10.0, size=[5, 5]),
        ),
        "warp": lambda: (
            fn.warp_affine(pictures(), matrix=[1, 0.2, 1, 0, 1, 0]),
            fn.warp_affine(pictures(), matrix=[1, 0.2, 1, 0, 1, 0], inverse_map=False, fill_value=0),
            fn.warp_affine(pictures(), fn.transforms.rotation(angle=20.0), size=[6, 6]),
        ),
        "color": lambda: (
            fn.brightness(pictures(), brightness=1.2),
            fn.contrast(pictures(), contrast=0.8),
            fn.hsv(pictures(), hue=20, saturation=1.3),
            fn.hue(pictures(), hue=40),
            fn.saturation(pictures(), saturation=0.5),
            fn.color_twist(pictures(), brightness=1.1, hue=10),
            fn.brightness_contrast(pictures(), brightness_shift=0.1, contrast_center=100),
        ),
        "colorspace": lambda: tuple(
            (
                fn.color_space_conversion(pictures(), image_type=types.RGB, output_type=t)
                for t in (types.GRAY, types.YCbCr, types.BGR)
            )
        ),
        "blur": lambda: (
            fn.gaussian_blur(pictures(), window_size=3),
            fn.gaussian_blur(pictures(), sigma=1.5),
            fn.gaussian_blur(pictures(), sigma=[1.0, 0.5], window_size=[5, 3]),
        ),
        "laplacian": lambda: fn.laplacian(pictures(), window_size=3),
        "normalize": lambda: (
            fn.normalize(pictures()),
            fn.normalize(pictures(), axes=[0, 1]),
            fn.normalize(pictures(), axis_names="HW", ddof=1),
            fn.normalize(pictures(), mean=100.0, stddev=50.0),
            fn.normalize(pictures(), batch=True),
            fn.normalize(pictures(), scale=64, shift=128, dtype=types.UINT8),
        ),
        "reductions": lambda: tuple(
            (
                getattr(fn.reductions, r)(pictures(), axes=a, keep_dims=k)
                for r in ("sum", "mean", "min", "max", "rms", "std_dev", "variance", "mean_square")
                for a, k in (([0], False), ([0, 1], True))
            )
        ),
        "lookup_table": lambda: fn.lookup_table(
            pictures(), keys=[1, 2, 3], values=[10.0, 20.0, 30.0], default_value=5
        ),
        "erase": lambda: (
            fn.erase(pictures(), anchor=[1, 1], shape=[2, 2], axis_names="HW", fill_value=7),
            fn.erase(pictures(), anchor=[0.1, 0.1], shape=[0.5, 0.5], axis_names="HW", normalized=True),
            fn.erase(pictures(), anchor=[1, 1, 4, 4], shape=[2, 2, 2, 2], axis_names="HW"),
        ),
        "cat_stack": lambda: (
            fn.cat(pictures(), pictures(), axis=0),
            fn.cat(pictures(), pictures(), axis=-1),
            fn.cat(pictures(), pictures(), axis_name="H"),
            fn.stack(pictures(), pictures()),
            fn.stack(pictures(), pictures(), axis=1, axis_name="Q"),
        ),
        "coordinates_and_boxes": lambda: (
            fn.coord_flip(numbers([[[0.2, 0.3]]] * 3, np.float32)),
            fn.coord_transform(numbers([[[0.2, 0.3]]] * 3, np.float32), M=[1, 2, 3, 4], T=[1, 2]),
            fn.bb_flip(numbers([[[0.1, 0.2, 0.3, 0.4]]] * 3, np.float32)),
            fn.bb_flip(numbers([[[0.1, 0.2, 0.3, 0.4]]] * 3, np.float32), ltrb=True, vertical=1),
        ),
        "transforms": lambda: (
            fn.transforms.rotation(angle=30.0),
            fn.transforms.scale(scale=[1, 2], center=[3, 4]),
            fn.transforms.translation(offset=[1, 2]),
            fn.transforms.shear(angles=[10, 20]),
            fn.transforms.shear(shear=[1, 2]),
            fn.transforms.crop(from_start=[0, 0], from_end=[1, 1], to_start=[1, 1], to_end=[3, 3]),
            fn.transforms.combine(fn.transforms.rotation(angle=30.0), fn.transforms.translation(offset=[1, 2])),
            fn.transforms.combine(
                fn.transforms.rotation(angle=30.0), fn.transforms.translation(offset=[1, 2]), reverse_order=True
            ),
            fn.transforms.rotation(angle=30.0, axis=[0, 0, 1]),
        ),
        "water": lambda: (fn.water(pictures()), fn.sphere(pictures())),
        "permute_batch": lambda: fn.permute_batch(pictures(), indices=[2, 0, 1]),
        "element_extract": lambda: tuple(
            fn.element_extract(fn.reshape(pictures(), layout="FHW"), element_map=[0, 2])
        ),
        "rearrange": lambda: fn.sequence_rearrange(fn.reshape(pictures(), layout="FHW"), new_order=[2, 0, 0]),
        "shapes": lambda: (fn.shapes(pictures()), fn.shapes(pictures(), dtype=types.FLOAT), pictures().shape()),
        "constants": lambda: (
            fn.constant(idata=[1, 2, 3, 4], shape=[2, 2], layout="HW"),
            fn.constant(fdata=[1.5], dtype=types.FLOAT16),
            fn.constant(idata=7, shape=[2, 2]),
            fn.zeros(shape=[2]),
            fn.ones(shape=[2], dtype=types.FLOAT),
            fn.full(3.5, shape=[2]),
            fn.zeros_like(pictures()),
            fn.ones_like(pictures()),
            fn.full_like(pictures(), 5),
        ),
        "full_layouts": lambda: (
            fn.full(types.Constant(3, types.UINT8), shape=[2]),
            fn.full(numbers([1, 2, 3]), shape=[2]),
            fn.full(np.float32([1, 2]), shape=[3, 2]),
        ),
        "cast": lambda: tuple(
            (
                fn.cast(pictures(dtype=np.float32) * 1.7 - 100, dtype=t)
                for t in (
                    types.UINT8,
                    types.INT8,
                    types.UINT16,
                    types.INT32,
                    types.BOOL,
                    types.FLOAT16,
                    types.FLOAT64,
                    types.UINT64,
                )
            )
        ),
        "cast_like": lambda: fn.cast_like(pictures(), numbers([1.0, 2.0, 3.0], np.float32)),
        "per_frame": lambda: fn.rotate(
            fn.expand_dims(pictures(), axes=[0], new_axis_names="F"),
            angle=fn.per_frame(fn.constant(fdata=[30.0], shape=[1])),
        ),
        "select_masks": lambda: tuple(
            fn.segmentation.select_masks(
                fn.constant(idata=[2, 0], shape=[2]),
                fn.constant(idata=[0, 0, 3, 1, 3, 6, 2, 6, 9], shape=[3, 3]),
                fn.constant(fdata=list(map(float, range(18))), shape=[9, 2]),
                reindex_masks=True,
            )
        ),
        "box_encoder": lambda: tuple(
            fn.box_encoder(
                numbers([[[0.1, 0.1, 0.5, 0.5]]] * 3, np.float32),
                numbers([[3]] * 3),
                anchors=[0.1, 0.1, 0.5, 0.5, 0.4, 0.4, 0.9, 0.9],
            )
        ),
        "multi_paste": lambda: fn.multi_paste(
            pictures(),
            output_size=[10, 10],
            in_ids=np.int32([0, 1]),
            out_anchors=np.int32([[0, 0], [3, 3]]),
            shapes=np.int32([[3, 3], [3, 3]]),
        ),
        "grid_mask": lambda: fn.grid_mask(pictures(), tile=4, ratio=0.4, angle=0.3),
        "equalize": lambda: fn.experimental.equalize(pictures()),
        "filter": lambda: fn.experimental.filter(pictures(), np.ones((3, 3), np.float32) / 9),
        "properties": lambda: (
            fn.get_property(pictures(), key="layout"),
            fn.get_property(pictures(), key="source_info"),
        ),
        "nonzero_uniform": lambda: (
            fn.random.uniform(range=(5.0, 5.0), dtype=types.INT32),
            fn.random.uniform(values=[3.0], shape=[2]),
            fn.random.uniform(pictures(), range=(1.0, 1.0)),
            fn.random.normal(mean=3.0, stddev=0.0),
            fn.random.coin_flip(probability=0.0),
            fn.random.coin_flip(probability=1.0, dtype=types.FLOAT),
            fn.random.choice(1),
            fn.random.choice([7], shape=[2]),
            fn.random.choice(np.array([[1, 2]])),
        ),
        "random_types": lambda: (
            fn.cast(fn.random.uniform(range=(0, 9)) * 0, dtype=types.INT32),
            fn.random.uniform(range=(0, 9), dtype=types.UINT8) * 0,
            fn.random.coin_flip() * 0,
            fn.random.choice(3) * 0,
            fn.random.choice([1.5, 2.5]) * 0,
            fn.random.beta() * 0,
            fn.random.normal(stddev=0.0),
            fn.batch_permutation() * 0,
        ),
        "copy": lambda: fn.copy(pictures()),
        "region_crop": lambda: (
            fn.roi_random_crop(crop_shape=[3, 3], roi_start=[1, 1], roi_shape=[3, 3]),
            fn.roi_random_crop(crop_shape=[7, 7], roi_start=[1, 1], roi_shape=[3, 3], in_shape=[7, 7]),
        ),
        "bbox_paste": lambda: fn.bbox_paste(
            numbers([[[0.1, 0.2, 0.3, 0.4]]] * 3, np.float32), ratio=2.0, paste_x=0.3, paste_y=0.4
        ),
        "size_of_a_file": lambda: fn.peek_image_shape(png()),
        "decode_png": lambda: tuple(
            (
                fn.decoders.image(png(), output_type=t)
                for t in (types.RGB, types.BGR, types.GRAY, types.YCbCr, types.ANY_DATA)
            )
        ),
        "decode_type": lambda: tuple((fn.decoders.image(png(), dtype=t) for t in (types.FLOAT, types.UINT16))),
        "decode_crop": lambda: (
            fn.decoders.image_crop(png(), crop=(2, 2)),
            fn.decoders.image_slice(png(), start=[1, 1], end=[3, 3], axes=[0, 1]),
        ),
        "cast_bool_small": lambda: fn.cast(
            fn.constant(fdata=[0.3, 0.5, -0.3, -0.5, 0.0, 1.0], shape=[6]), dtype=types.BOOL
        ),
        "constant_bool_small": lambda: fn.constant(fdata=[0.3, 0.5, 0.0], shape=[3], dtype=types.BOOL),
        "bool_fill": lambda: (
            fn.random.uniform(range=(0.3, 0.3), dtype=types.BOOL),
            fn.random.normal(mean=0.3, stddev=0.0, dtype=types.BOOL),
        ),
    }
)


@case.outputs
def clamp_with_crossed_bounds() -> Any:
    node = types.Constant(np.array([0, 3, 5, 7, 10]))
    numbers = types.Constant(np.array([0.0, 3.0, 5.0, 7.0, 10.0]))
    return math.clamp(node, 7, 3), math.clamp(numbers, 7.0, 3.0), math.clamp(node, 3, 7)


@case.outputs
def one_hot_of_one_number() -> Any:
    row = types.Constant(np.array([[1]]))
    number = types.Constant(np.array([1]))
    axes = [fn.one_hot(row, num_classes=3, axis=axis) for axis in (0, 1, 2)]
    axes += [fn.one_hot(number, num_classes=3, axis=axis) for axis in (0, 1)]
    return fn.one_hot(row, num_classes=3), fn.one_hot(number, num_classes=3), *axes


@case.outputs
def squeeze_of_empty_tensors() -> Any:
    wide, flat = ones((3, 0, 2), layout=None), ones((1, 0, 1), layout=None)
    return fn.squeeze(wide, axes=[2]), fn.squeeze(flat, axes=[0, 2])


@case.outputs
def squeeze_that_would_make_elements() -> Any:
    return fn.squeeze(ones((3, 0, 1), layout=None), axes=[1])
