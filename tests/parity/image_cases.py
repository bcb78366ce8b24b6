"""Cases of the crop, resize and normalise family, of the same shape as those of `operator_cases.py`."""

from __future__ import annotations

import pathlib

import numpy as np

import resize_cases
from operator_cases import Case, Enum

CASES: list[Case] = []

_random = np.random.default_rng(21)


def _photo(*shape: int) -> np.ndarray:
    """Smooth, with edges and some noise."""
    grids = np.meshgrid(*(np.linspace(0, 4, n) for n in shape), indexing="ij")
    smooth = 127 + 90 * np.sin(sum((i + 1) * g for i, g in enumerate(grids)))
    edges = 40 * (np.sin(5 * grids[0]) > 0.3)
    return np.clip(smooth + edges + _random.normal(0, 6, shape), 0, 255).astype(np.uint8)


RGB = _photo(31, 43, 3)
VOLUME = _photo(6, 13, 17, 2)
FILTERS = ["INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC", "INTERP_LANCZOS3", "INTERP_TRIANGULAR", "INTERP_GAUSSIAN"]


def case(name, op, data, layout="HWC", /, *, inputs=(), tensors=None, bar="uint8", reference="dali", **args):
    batch = data if isinstance(data, list) else [data]
    given = {k: v if isinstance(v, list) else [v] for k, v in (tensors or {}).items()}
    CASES.append(Case(name, op, [batch, *([i] for i in inputs)], args, [layout], given, bar, reference=reference))


def _resize_filters():
    for name in FILTERS:
        bar = "exact" if name == "INTERP_NN" else "uint8"
        for size in ((12, 17), (50, 80), (12, 80), (-20, 30), (40, -20)):
            for antialias in (True, False):
                case(f"resize {name} {size} {antialias}", "resize", RGB, bar=bar, size=size, antialias=antialias,
                     interp_type=Enum(name))
        case(f"resize {name} region", "resize", RGB, bar=bar, size=(12, 17), roi_start=(2.5, 4), roi_end=(27, 39.25),
             interp_type=Enum(name))
        case(f"resize {name} reversed", "resize", RGB, bar=bar, size=(40, 57), roi_start=(27, 39), roi_end=(3, 4),
             interp_type=Enum(name))
        case(f"resize {name} volume", "resize", VOLUME, "DHWC", bar=bar, size=(4, 9, 30), interp_type=Enum(name))
        float_bar = "exact" if name == "INTERP_NN" else "float"
        case(f"resize {name} float", "resize", RGB.astype(np.float32), bar=float_bar, size=(12, 57),
             interp_type=Enum(name))
    case("resize min and mag", "resize", RGB, size=(12, 90), min_filter=Enum("INTERP_CUBIC"),
         mag_filter=Enum("INTERP_LANCZOS3"))


def _resize_sizes():
    for i, args in enumerate((
        {"size": 20}, {"size": (10, 0)}, {"size": (2.5, 3.5)}, {"size": (10, 0), "mode": "stretch"},
        {"size": (20, 20), "mode": "not_larger"}, {"size": (20, 20), "mode": "not_smaller"},
        {"size": (20, 20), "mode": "not_smaller", "max_size": 22}, {"size": (20, 0), "max_size": [5, 6]},
        {"resize_shorter": 10}, {"resize_shorter": 20.5}, {"resize_shorter": 100, "max_size": 110},
        {"resize_longer": 10}, {"resize_x": 10}, {"resize_y": 10.3, "subpixel_scale": False},
        {"resize_x": 10, "resize_y": -7}, {"resize_z": 3, "resize_x": 2}, {"size": (0, 10), "mode": "not_smaller"},
        {"size": (10, 0), "roi_start": (5, 5), "roi_end": (15, 25)},
        {"resize_shorter": 8, "roi_start": (0.1, 0.1), "roi_end": (0.5, 0.9), "roi_relative": True},
        {"size": 5, "roi_start": (5, 5), "roi_end": (5, 5)}, {"size": 5, "dtype": Enum("FLOAT")},
    )):
        case(f"resize size {i}", "resize", RGB, bar="float" if "dtype" in args else "uint8", **args)
    for layout in ("FHWC", "CFHW", "CDHW", "DHWC"):
        case(f"resize {layout}", "resize", VOLUME, layout, size=(7, 8) if "F" in layout else (4, 7, 8))
    for dtype in (np.uint16, np.int16):
        case(f"resize {np.dtype(dtype).name}", "resize", RGB.astype(dtype) * 100, bar="integer", size=(12, 57))
    case("resize size by tensor", "resize", [RGB, RGB],
         tensors={"size": [np.float32([10, 12]), np.float32([40, 7])]})


def _crops():
    for i, args in enumerate((
        {}, {"crop": (4, 5)}, {"crop": (4, 0)}, {"crop": (4.7, 3.2)}, {"crop_h": 7, "crop_w": 6},
        {"crop": (12, 13), "crop_pos_x": 0.3, "crop_pos_y": 0.9}, {"crop": (12, 14), "rounding": "truncate"},
        {"crop": (60, 5), "out_of_bounds_policy": "pad", "fill_values": [1, 2, 3]},
        {"crop": (60, 60), "out_of_bounds_policy": "trim_to_shape"}, {"crop": (4, 5), "dtype": Enum("FLOAT")},
    )):
        case(f"crop {i}", "crop", RGB, bar="exact", **args)
    case("crop volume", "crop", VOLUME, "DHWC", bar="exact", crop=(3, 4, 5), crop_pos_z=0.9)
    case("crop frames", "crop", VOLUME, "FHWC", bar="exact", crop=(4, 5))
    case("crop by tensor", "crop", [RGB, RGB], bar="exact", crop=(4, 5),
         tensors={"crop_pos_x": [np.float32(0.1).reshape(()), np.float32(0.8).reshape(())]})


def _slices():
    for i, args in enumerate((
        {"start": (2, 3), "shape": (4, 5)}, {"start": (2, 3), "end": (4, 5)}, {"rel_start": (0.2, 0.3), "rel_end": (0.5, 0.75)},
        {"rel_start": (0.2, 0.3), "rel_shape": (0.5, 0.55)}, {"rel_start": (0.2, 0.3), "shape": (5, 6)},
        {"start": (2, 3), "rel_end": (0.5, 0.6)}, {"start": (2, 3)}, {"shape": (2, 3)},
        {"start": (2,), "shape": (1,), "axes": (-1,)}, {"start": (2,), "shape": (1,), "axis_names": "C"},
        {"start": (-2,), "shape": (5,), "axis_names": "W", "out_of_bounds_policy": "pad", "fill_values": 9},
        {"start": (2, 3), "shape": (0, 5)}, {"start": (50, 1), "shape": (40, 5), "out_of_bounds_policy": "trim_to_shape"},
        {"start": (-40, -50), "shape": (120, 130), "out_of_bounds_policy": "edge"},
        {"start": (-40, -50), "shape": (120, 130), "out_of_bounds_policy": "wrap"},
        {"start": (-40, -50), "shape": (120, 130), "out_of_bounds_policy": "reflect_1001"},
        {"start": (-40, -50), "shape": (120, 130), "out_of_bounds_policy": "reflect_101"},
    )):
        case(f"slice {i}", "slice", RGB, bar="exact", **args)
    case("slice by inputs", "slice", RGB, bar="exact", inputs=[np.float32([0.25, 0.5]), np.float32([0.5, 0.25])])
    case("slice by whole inputs", "slice", RGB, bar="exact", inputs=[np.int32([3, 2]), np.int32([5, 2])])
    case("slice by tensor", "slice", [RGB, RGB], bar="exact", shape=(3, 4),
         tensors={"start": [np.int32([1, 2]), np.int32([5, 6])]})


def _normalised():
    mean, std = [123.0, 116, 103], [58.0, 57, 57]
    for i, args in enumerate((
        {}, {"mean": mean, "std": std}, {"mean": mean, "std": std, "mirror": 1, "crop": (20, 21)},
        {"mirror": 1, "output_layout": "HWC", "dtype": Enum("UINT8"), "scale": 0.5, "shift": 3.3},
        {"dtype": Enum("INT8"), "mean": [100.0], "std": [2.0]}, {"dtype": Enum("FLOAT16"), "mean": mean},
        {"pad_output": True}, {"pad_output": True, "output_layout": "HWC", "mean": mean}, {"scale": 1 / 255},
        {"crop": (60, 15), "out_of_bounds_policy": "pad", "fill_values": [1.0, 2, 3], "mean": mean},
        {"crop": (60, 15), "out_of_bounds_policy": "pad", "fill_values": [1.0], "pad_output": True},
    )):
        case(f"crop_mirror_normalize {i}", "crop_mirror_normalize", RGB, bar="float", **args)
    for layout, out in (("DHWC", "CDHW"), ("FHWC", "FCHW"), ("FHWC", "CFHW"), ("CDHW", "DHWC")):
        case(f"crop_mirror_normalize {layout} {out}", "crop_mirror_normalize", VOLUME, layout, bar="float",
             output_layout=out, mirror=1)
    case("crop_mirror_normalize by tensor", "crop_mirror_normalize", [RGB, RGB], bar="float",
         tensors={"mirror": [np.int32(0).reshape(()), np.int32(1).reshape(())],
                  "mean": [np.float32([1, 2, 3]), np.float32([4, 5, 6])]})


def _decoders():
    folder = pathlib.Path(__file__).parent / "decode"
    for name in ("exif6_420.jpg", "exif1_grey.jpg", "exif3.png"):
        data = np.fromfile(folder / name, np.uint8)
        case(f"decoders.image {name}", "decoders.image", data, None, bar="exact")
        case(f"decoders.image grey {name}", "decoders.image", data, None, bar="exact", output_type=Enum("GRAY"))
        case(f"peek_image_shape {name}", "peek_image_shape", data, None, bar="exact")
        case(f"decoders.image_crop {name}", "decoders.image_crop", data, None, bar="exact", crop=(9, 8),
             crop_pos_x=0.3, crop_pos_y=0.8)
        case(f"decoders.image_slice {name}", "decoders.image_slice", data, None, bar="exact", rel_start=(0.2, 0.3),
             rel_end=(0.8, 0.75))


def _other_formats():
    folder = pathlib.Path(__file__).parent / "decode_formats"
    for name in ("palette8.bmp", "rgb24.bmp", "bits.pbm", "rgb.ppm", "rgba_lossless.webp", "rgb_lossy.webp", "wide.tiff",
                 "rgb_tiff_lzw.tiff", "exif6.tiff", "tiles.jp2", "wide.jp2"):
        data = np.fromfile(folder / name, np.uint8)
        case(f"decoders.image {name}", "decoders.image", data, None, bar="exact")
        case(f"decoders.image any {name}", "decoders.image", data, None, bar="exact", output_type=Enum("ANY_DATA"),
             dtype=Enum("UINT16"))
        case(f"peek_image_shape {name}", "peek_image_shape", data, None, bar="exact")
        case(f"decoders.image_crop {name}", "decoders.image_crop", data, None, bar="exact", crop=(9, 8),
             crop_pos_x=0.3, crop_pos_y=0.8)
        case(f"decoders.image_slice {name}", "decoders.image_slice", data, None, bar="exact", rel_start=(0.2, 0.3),
             rel_end=(0.8, 0.75))


for _add in (_decoders, _other_formats, _resize_filters, _resize_sizes, _crops, _slices, _normalised):
    _add()
resize_cases.add(case, Enum)
