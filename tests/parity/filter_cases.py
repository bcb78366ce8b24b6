"""Cases of `operator_cases.py` for operators that look around pixels, and for arguments that change by frames."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np


def add(case: Callable[..., None], enum: Callable[[str], Any]) -> None:
    """Adds them by `case`; `enum` names a member of `types`. Each group draws numbers of its own."""
    for seed, group in enumerate((_frames, _convolutions, _filters, _ranks, _distortions, _remaps, _pastes, _resizes,
                                  _tensors, _colors)):
        group(case, enum, np.random.default_rng([30, seed]))


def _photo(random, *shape, dtype=np.uint8):
    """Waves with some noise, over most of the range of uint8."""
    grids = np.meshgrid(*(np.linspace(0, 3, n) for n in shape), indexing="ij")
    waves = 0.5 + 0.45 * np.sin(sum((i + 1) * g for i, g in enumerate(grids)))
    return (np.clip(waves + random.normal(0, 0.05, shape), 0, 1) * 255).astype(dtype)


def _frames(case, enum, random) -> None:
    video = _photo(random, 3, 8, 9, 3)
    numbers = np.float32([0.53, 1.0, 1.37])
    arguments = {"brightness": ["brightness", "brightness_shift"], "contrast": ["contrast", "contrast_center"],
                 "brightness_contrast": ["brightness", "brightness_shift", "contrast", "contrast_center"],
                 "hue": ["hue"], "saturation": ["saturation"], "hsv": ["hue", "saturation", "value"],
                 "color_twist": ["hue", "saturation", "contrast", "brightness"]}
    for op, names in arguments.items():
        for name in names:
            scale = np.float32(50 if name in ("hue", "contrast_center") else 1)
            more = {"contrast": 1.3} if name == "contrast_center" else {}
            case(f"{op} {name} by frames", op, [video], layouts=["FHWC"], bar="uint8", tensors={name: numbers * scale},
                 tensor_layouts={name: "F"}, **more)
    case("brightness one frame for all", "brightness", [video], layouts=["FHWC"], bar="uint8",
         tensors={"brightness": numbers[:1].copy()}, tensor_layouts={"brightness": "F"})
    case("brightness ragged frames", "brightness", [[video, video[:2].copy()]], layouts=["FHWC"], bar="uint8",
         tensors={"brightness": [numbers, numbers[:2].copy()]}, tensor_layouts={"brightness": "F"})
    for name, angles in {"small": [0, 3, -5], "turns": [10, 80, 91], "odd": [45, 90, 180]}.items():
        for shape in ((3, 8, 9, 3), (3, 7, 9, 1), (3, 8, 10, 2)):
            case(f"rotate by frames {name} {shape}", "rotate", [_photo(random, *shape)], layouts=["FHWC"], bar="uint8",
                 tensors={"angle": np.float32(angles)}, tensor_layouts={"angle": "F"}, fill_value=7.0)
    volumes = _photo(random, 2, 4, 5, 6, 1)
    for angle in (20.0, 70.0):
        case(f"rotate volumes by axes {angle}", "rotate", [volumes], layouts=["FDHWC"], bar="uint8", angle=angle,
             tensors={"axis": np.float32([[1, 0, 0], [0.3, 0.4, 0.5]])}, tensor_layouts={"axis": "F*"})
    matrices = np.float32([[[1, 0.1, 1], [0, 0.9, 0.5]], [[0.5, 0, 0], [0.2, 1, 0]], [[1, 0, 0], [0, 1, -3]]])
    for inverse in (False, True):
        case(f"warp_affine by frames {inverse}", "warp_affine", [video], layouts=["FHWC"], bar="uint8",
             tensors={"matrix": matrices}, tensor_layouts={"matrix": "F**"}, inverse_map=inverse, size=[10.0, 11.0])
    case("warp_affine by frames as input", "warp_affine", [video, matrices], layouts=["FHWC", "F**"], bar="uint8")


def _convolutions(case, enum, random) -> None:
    data = {"HWC": (18, 25, 3), "HW": (18, 25), "CHW": (3, 18, 25), "FHWC": (2, 8, 9, 3), "FCHW": (2, 3, 8, 9),
            "CFHW": (3, 2, 8, 9), "DHWC": (5, 8, 9, 2), "DHW": (5, 8, 9), "CDHW": (2, 5, 8, 9), "W": (30,)}
    for layout, shape in data.items():
        image = _photo(random, *shape)
        blurs = {"sigma": {"sigma": 1.3}, "window": {"window_size": 5}, "both": {"sigma": 0.7, "window_size": 9}}
        for name, args in blurs.items():
            case(f"gaussian_blur {layout} {name}", "gaussian_blur", [image], layouts=[layout], bar="uint8", **args)
        case(f"laplacian {layout}", "laplacian", [image], layouts=[layout], bar="uint8")
        case(f"laplacian {layout} wide", "laplacian", [image], layouts=[layout], bar="float", window_size=7,
             normalized_kernel=True, dtype=enum("FLOAT"))
    for kind in ("uint8", "int8", "uint16", "int16", "int32", "uint32", "int64", "float32", "float64"):
        image = (_photo(random, 9, 11, 2) // 2).astype(kind)
        case(f"gaussian_blur {kind}", "gaussian_blur", [image], layouts=["HWC"], bar="float", sigma=1.1)
        case(f"gaussian_blur {kind} to float", "gaussian_blur", [image], layouts=["HWC"], bar="float", sigma=1.1,
             dtype=enum("FLOAT"))
        if kind != "float64":
            case(f"laplacian {kind}", "laplacian", [image], layouts=["HWC"], bar="float", window_size=5, scale=0.01)
    image = _photo(random, 18, 25, 3)
    case("gaussian_blur an axis", "gaussian_blur", [image], layouts=["HWC"], bar="uint8", sigma=[0.6, 2.5])
    case("gaussian_blur windows", "gaussian_blur", [image], layouts=["HWC"], bar="uint8", window_size=[3, 11])
    case("gaussian_blur beyond", "gaussian_blur", [image], layouts=["HWC"], bar="uint8", sigma=30.0)
    case("gaussian_blur no layout", "gaussian_blur", [image], bar="uint8", sigma=1.0)
    case("gaussian_blur one pixel", "gaussian_blur", [image[:1, :1].copy()], layouts=["HWC"], bar="uint8", sigma=2.0)
    case("gaussian_blur by tensors", "gaussian_blur", [[image, image]], layouts=["HWC"], bar="uint8",
         tensors={"sigma": [np.float32([1]), np.float32([2])]})
    case("gaussian_blur by frames", "gaussian_blur", [_photo(random, 2, 8, 9, 3)], layouts=["FHWC"], bar="uint8",
         tensors={"sigma": np.float32([[0.5, 1], [2, 3]])}, tensor_layouts={"sigma": "F*"})
    for args in ({"smoothing_size": 1}, {"smoothing_size": 3, "window_size": 5}, {"window_size": [3, 7]},
                 {"window_size": [3, 5], "smoothing_size": [5, 1]}, {"scale": [0.5, 2.0]}, {"window_size": 23},
                 {"normalized_kernel": True, "window_size": [5, 3]}):
        more = {} if args.get("window_size") == 23 else {"dtype": enum("FLOAT")}
        case(f"laplacian {args}", "laplacian", [image], layouts=["HWC"], bar="float", **args, **more)
    case("laplacian by frames", "laplacian", [_photo(random, 2, 8, 9, 3)], layouts=["FHWC"], dtype=enum("FLOAT"),
         tensors={"window_size": np.int32([[3], [5]])}, tensor_layouts={"window_size": "F*"})


def _filters(case, enum, random) -> None:
    image = _photo(random, 18, 25, 3)
    small = random.normal(0, 0.3, (3, 4)).astype(np.float32)
    for border in ("reflect_101", "reflect_1001", "wrap", "clamp", "constant"):
        for size in ((3, 3), (2, 5), (7, 4), (1, 1)):
            weights = random.normal(0, 0.3, size).astype(np.float32)
            case(f"filter {border} {size}", "filter", [image, weights], layouts=["HWC"], bar="uint8", border=border)
        case(f"filter {border} anchor", "filter", [image, small], layouts=["HWC"], bar="uint8", border=border,
             anchor=[0, 3])
        case(f"filter {border} valid", "filter", [image, small], layouts=["HWC"], bar="uint8", border=border,
             mode="valid")
    case("filter fill_value", "filter", [image, small, np.uint8(100).reshape(())], layouts=["HWC"], bar="uint8",
         border="constant")
    for layout, shape in {"HW": (9, 11), "CHW": (3, 9, 11), "FHWC": (2, 9, 11, 3), "FCHW": (2, 3, 9, 11)}.items():
        case(f"filter {layout}", "filter", [_photo(random, *shape), small], layouts=[layout], bar="uint8")
    for kind in ("uint16", "int16", "float32"):
        case(f"filter {kind}", "filter", [image.astype(kind), small], layouts=["HWC"], bar="uint8")
        case(f"filter {kind} to float", "filter", [image.astype(kind), small], layouts=["HWC"], dtype=enum("FLOAT"))
    case("filter halves", "filter", [image, np.full((2, 2), 0.25, np.float32)], layouts=["HWC"], bar="exact")
    several = random.normal(0, 0.3, (2, 3, 3)).astype(np.float32)
    case("filter by frames", "filter", [_photo(random, 2, 9, 11, 3), several], layouts=["FHWC", "F**"], bar="uint8")


def _ranks(case, enum, random) -> None:
    def compared(name, op, image, layout, **args):
        case(f"{op} {name}", op, [image], layouts=[layout], bar="exact", reference="opencv", **args)

    image = random.integers(0, 256, (33, 41, 3)).astype(np.uint8)
    for side in (3, 5, 7, 9):
        compared(f"{side}", "experimental.median_blur", image, "HWC", window_size=[side, side])
    compared("planes", "experimental.median_blur", image.transpose(2, 0, 1).copy(), "CHW", window_size=[3, 3])
    compared("grey", "experimental.median_blur", image[..., 0].copy(), "HW", window_size=[5, 5])
    compared("float", "experimental.median_blur", image.astype(np.float32), "HWC", window_size=[5, 5])
    compared("uint16", "experimental.median_blur", image.astype(np.uint16) * 200, "HWC", window_size=[3, 3])
    compared("frames", "experimental.median_blur", np.stack([image, image // 2]), "FHWC", window_size=[3, 3])
    for op in ("experimental.dilate", "experimental.erode"):
        for border in ("constant", "replicate", "reflect", "reflect_101"):
            compared(f"{border}", op, image, "HWC", border_mode=border)
            compared(f"{border} mask", op, image, "HWC", border_mode=border, mask_size=[4, 7], anchor=[0, 5])
        compared("three times", op, image, "HWC", mask_size=[3, 2], iterations=3)
        compared("float", op, image.astype(np.float32), "HWC", mask_size=[5, 1])
        compared("int16", op, image.astype(np.int16) - 100, "HWC", mask_size=[1, 6])
        compared("planes", op, image.transpose(2, 0, 1).copy(), "CHW")
        compared("large", op, image, "HWC", mask_size=[60, 50])


def _distortions(case, enum, random) -> None:
    for shape in ((37, 53, 3), (16, 16, 3), (1, 1, 3), (9, 100, 3)):
        image = _photo(random, *shape)
        for quality in (1, 50, 100):
            case(f"jpeg_compression_distortion {shape} {quality}", "jpeg_compression_distortion", [image],
                 layouts=["HWC"], bar="exact", quality=quality)
    image = _photo(random, 20, 30, 3)
    case("jpeg_compression_distortion", "jpeg_compression_distortion", [image], layouts=["HWC"], bar="exact")
    case("jpeg_compression_distortion beyond", "jpeg_compression_distortion", [image], layouts=["HWC"], bar="exact",
         quality=-7)
    case("jpeg_compression_distortion frames", "jpeg_compression_distortion", [np.stack([image, image // 2])],
         layouts=["FHWC"], bar="exact", quality=30)


def _remaps(case, enum, random) -> None:
    image = _photo(random, 24, 31, 3)
    for op, all_args in {"water": ({}, {"ampl_x": 3.0, "freq_y": 0.5, "phase_x": 1.0}, {"fill_value": 40.0}),
                         "sphere": ({}, {"fill_value": 40.0})}.items():
        for args in all_args:
            for interp in ("INTERP_NN", "INTERP_LINEAR"):
                for picture in (image, image.astype(np.float32)):
                    bar = "uint8" if interp == "INTERP_LINEAR" else "nearest"
                    case(f"{op} {args} {interp} {picture.dtype}", op, [picture], layouts=["HWC"], bar=bar,
                         interp_type=enum(interp), **args)
        case(f"{op} by masks", op, [[image, image]], layouts=["HWC"], bar="nearest",
             tensors={"mask": [np.int32(0).reshape(()), np.int32(1).reshape(())]})
    matrix = [1.0, 0.02, 0.37, -0.03, 1.0, 0.81, 1e-3, 2e-3, 1.0]
    for interp in ("INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC"):
        for origin in ("corner", "center"):
            for inverse in (True, False):
                case(f"warp_perspective {interp} {origin} {inverse}", "experimental.warp_perspective", [image],
                     layouts=["HWC"], bar="nearest" if interp == "INTERP_NN" else "uint8", matrix=matrix,
                     interp_type=enum(interp), pixel_origin=origin, inverse_map=inverse)
    for border in ("constant", "replicate", "reflect", "reflect_101", "wrap"):
        case(f"warp_perspective {border}", "experimental.warp_perspective", [image], layouts=["HWC"], bar="uint8",
             matrix=[1.1, 0.2, -9.0, -0.1, 0.9, 4.0, 1e-3, 0.0, 1.0], border_mode=border)
        for kind in ("uint8", "uint16") if border == "constant" else ("uint8", "uint16", "float32"):
            case(f"warp_perspective cubic inverted {border} {kind}", "experimental.warp_perspective",
                 [image.astype(kind)], layouts=["HWC"], bar="float" if kind == "float32" else "uint8",
                 matrix=[1.1, 0.2, -9.0, -0.1, 0.9, 4.0, 1e-3, 0.0, 1.0], border_mode=border, inverse_map=False,
                 interp_type=enum("INTERP_CUBIC"))
    case("warp_perspective fill", "experimental.warp_perspective", [image], layouts=["HWC"], bar="uint8", matrix=matrix,
         fill_value=[1.0, 100.0, 200.0], size=[40.0, 50.4])
    for kind in ("uint16", "float32"):
        case(f"warp_perspective {kind}", "experimental.warp_perspective", [image.astype(kind)], layouts=["HWC"],
             bar="uint8" if kind == "uint16" else "float", matrix=matrix)
    case("warp_perspective grey", "experimental.warp_perspective", [image[..., :1].copy()], layouts=["HWC"],
         bar="uint8", matrix=matrix)
    case("warp_perspective by frames", "experimental.warp_perspective", [np.stack([image, image])], layouts=["FHWC"],
         bar="uint8", tensors={"matrix": np.float32([np.reshape(matrix, (3, 3)), np.eye(3)])},
         tensor_layouts={"matrix": "F**"})
    case("warp_perspective by input", "experimental.warp_perspective", [image, np.float32(matrix).reshape(3, 3)],
         layouts=["HWC"], bar="uint8")
    xs, ys = np.meshgrid(np.arange(31, dtype=np.float32), np.arange(24, dtype=np.float32))
    maps = [xs * 0.9 + ys * 0.1 - 1, ys * 1.1 - 0.7]
    for interp in ("INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC"):
        for origin in ("corner", "center"):
            case(f"remap {interp} {origin}", "experimental.remap", [image, *maps], layouts=["HWC"], reference="opencv",
                 bar="nearest" if interp == "INTERP_NN" else "uint8", interp=enum(interp), pixel_origin=origin)


def _pastes(case, enum, random) -> None:
    image = _photo(random, 9, 11, 2)
    case("paste n_channels", "paste", [image], layouts=["HWC"], bar="exact", ratio=1.5, fill_value=[1, 200],
         n_channels=2)
    images = [_photo(random, 9, 11, 3) for _ in range(3)]
    ids = [np.int32([0, 1]), np.int32([2]), np.int32([1, 1, 0])]

    def pairs(high, dtype):
        return [(random.random((len(each), 2)) * high).astype(dtype) for each in ids]

    case("multi_paste whole", "multi_paste", [images], layouts=["HWC"], bar="exact", tensors={"in_ids": ids})
    case("multi_paste anchors", "multi_paste", [images], layouts=["HWC"], bar="exact", output_size=[20, 22],
         tensors={"in_ids": ids, "in_anchors": pairs(5, np.int32), "shapes": pairs(4, np.int32),
                  "out_anchors": pairs(15, np.int32)})
    case("multi_paste relative", "multi_paste", [images], layouts=["HWC"], bar="exact", output_size=[40, 42],
         tensors={"in_ids": ids, "in_anchors_rel": pairs(0.5, np.float32), "shapes_rel": pairs(0.5, np.float32),
                  "out_anchors_rel": pairs(0.6, np.float32)})
    case("multi_paste of inputs", "multi_paste", [images, images[::-1]], layouts=["HWC", "HWC"], bar="exact",
         dtype=enum("FLOAT"), tensors={"shapes": [np.int32([[9, 11], [4, 5]])] * 3})
    case("multi_paste saturated", "multi_paste", [[(each.astype(np.int16) - 100) * 3 for each in images]],
         layouts=["HWC"], bar="exact", dtype=enum("UINT8"), tensors={"in_ids": ids})


def _resizes(case, enum, random) -> None:
    image = _photo(random, 18, 25, 3)
    for op in ("resize_crop_mirror", "fast_resize_crop_mirror"):
        for name, args in {
            "grows": {"size": [36.0, 40.0], "crop": [20.0, 21.0]}, "shrinks": {"size": [9.0, 11.0], "crop": [5.0, 6.0]},
            "whole": {"size": [9.0, 11.0]}, "mirrored": {"size": [9.0, 11.0], "mirror": 1},
            "turned": {"size": [36.0, 40.0], "crop": [20.0, 21.0], "mirror": 3},
            "beyond": {"size": [9.0, 11.0], "crop": [12.0, 14.0]},
            "placed": {"resize_shorter": 30.0, "crop_h": 20.0, "crop_w": 22.0, "crop_pos_x": 0.1, "crop_pos_y": 0.9},
            "truncated": {"resize_x": 30.0, "crop": [15.0, 16.0], "rounding": "truncate", "crop_pos_x": 0.3},
            "negative": {"resize_x": -20.0, "resize_y": 20.0, "crop": [8.0, 9.0]},
            "cubic": {"size": [36.0, 40.0], "crop": [20.0, 21.0], "interp_type": enum("INTERP_CUBIC")},
            "roi": {"size": [36.0, 40.0], "crop": [20.0, 21.0], "roi_start": [2.0, 3.0], "roi_end": [14.0, 20.0]},
        }.items():
            case(f"{op} {name}", op, [image], layouts=["HWC"], dtype=enum("FLOAT"), **args)
        case(f"{op} bytes", op, [image], layouts=["HWC"], bar="uint8", size=[37.0, 41.3], crop=[20.0, 21.0])
        case(f"{op} planes", op, [image.transpose(2, 0, 1).copy()], layouts=["CHW"], dtype=enum("FLOAT"),
             size=[36.0, 40.0], crop=[20.0, 21.0])
        case(f"{op} frames", op, [_photo(random, 2, 9, 10, 3)], layouts=["FHWC"], dtype=enum("FLOAT"),
             size=[18.0, 20.0], crop=[10.0, 11.0])
        case(f"{op} upside down", op, [image], layouts=["HWC"], dtype=enum("FLOAT"), size=[9.0, 11.0], mirror=2)
        case(f"{op} volumes", op, [_photo(random, 5, 6, 7, 2)], layouts=["DHWC"], dtype=enum("FLOAT"),
             size=[10.0, 12.0, 14.0], crop=[5.0, 6.0, 7.0], mirror=5)


def _tensors(case, enum, random) -> None:
    image = _photo(random, 60, 80, 3)  # departure: halves in the last few columns
    for name, args in {
        "two axes": {"sizes": [30.0, 40.0], "axes": [0, 1]}, "one axis": {"sizes": [6.0], "axes": [1]},
        "channels": {"sizes": [6.0, 8.0, 5.0]}, "mean": {"sizes": [6.0, 0.0], "axes": [0, 1]},
        "stretched": {"sizes": [6.0, 0.0], "axes": [0, 1], "mode": "stretch"},
        "apart": {"sizes": [6.0, 5.0], "axes": [0, 2]},
        "scales": {"scales": [0.55, 1.7], "axes": [0, 1]}, "names": {"sizes": [6.0, 20.0], "axis_names": "WH"},
        "truncated": {"scales": [0.55, 0.55], "axes": [0, 1], "size_rounding": "truncate"},
        "ceil": {"scales": [0.53, 1.53], "axes": [0, 1], "size_rounding": "ceil", "alignment": [0.0, 1.0]},
        "not larger": {"sizes": [6.0, 6.0, 3.0], "mode": "not_larger"},
        "negative": {"sizes": [-6.0, 8.0], "axes": [0, -2]},
        "most": {"sizes": [600.0, 700.0], "axes": [0, 1], "max_size": [20.0, 30.0]},
        "region": {"sizes": [6.0, 20.0], "axes": [0, 1], "roi_start": [1.0, 2.0], "roi_end": [8.0, 9.0]},
        "relative": {"scales": [0.5, 2.0], "axes": [0, 1], "roi_start": [0.1, 0.8], "roi_end": [0.9, 0.2],
                     "roi_relative": True},
        "plain": {"sizes": [6.4, 8.7], "axes": [0, 1], "subpixel_scale": False},
        "nearest": {"sizes": [5.0, 30.0], "axes": [0, 1], "interp_type": enum("INTERP_NN")},
    }.items():
        case(f"tensor_resize {name}", "tensor_resize", [image], layouts=["HWC"], bar="uint8", **args)
    for shape, args in {(10,): {"sizes": [5.0]}, (4, 5, 6, 7): {"sizes": [3.0, 4.0, 5.0], "axes": [1, 2, 3]},
                        (2, 3, 8, 2, 3): {"scales": [0.6], "axes": [2]}}.items():
        case(f"tensor_resize {shape}", "tensor_resize", [_photo(random, *shape, dtype=np.float32)], **args)


def _colors(case, enum, random) -> None:
    image = _photo(random, 50, 62, 3)
    noise = random.integers(0, 256, (48, 64, 3)).astype(np.uint8)
    for name, args in {"few": {"tiles_x": 2, "tiles_y": 3, "clip_limit": 2.0},
                       "limit": {"tiles_x": 4, "tiles_y": 4, "clip_limit": 40.0},
                       "no limit": {"tiles_x": 8, "tiles_y": 8, "clip_limit": 0.0},
                       "many": {"tiles_x": 30, "tiles_y": 40, "clip_limit": 3.0}}.items():
        for kind, picture in (("photo", image), ("noise", noise)):
            case(f"clahe {kind} grey {name}", "clahe", [picture[..., :1].copy()], layouts=["HWC"], bar="exact", **args)
            case(f"clahe {kind} channels {name}", "clahe", [picture], layouts=["HWC"], bar="exact", luma_only=False,
                 **args)
            case(f"clahe {kind} lightness {name}", "clahe", [picture], layouts=["HWC"], bar="uint8", **args)
    grey = image[..., 0].copy()
    for algorithm in ("default", "bilinear_ocv", "edgeaware_ocv", "vng_ocv", "gray_ocv"):
        bar = "uint8" if algorithm == "vng_ocv" else "exact"
        for position in ([0, 0], [0, 1], [1, 0], [1, 1]):
            for kind, picture in (("photo", grey), ("noise", noise[..., 0].copy())):
                case(f"debayer {algorithm} {position} {kind}", "debayer", [picture], layouts=["HW"], bar=bar,
                     algorithm=algorithm, blue_position=position)
            if algorithm != "vng_ocv":
                case(f"debayer {algorithm} {position} uint16", "debayer", [grey.astype(np.uint16) * 257],
                     layouts=["HW"], bar="exact", algorithm=algorithm, blue_position=position)
    case("debayer by frames", "debayer", [np.stack([grey, grey])], layouts=["FHW"], bar="exact",
         tensors={"blue_position": np.int32([[0, 1], [1, 1]])}, tensor_layouts={"blue_position": "F*"})
    case("debayer HWC", "debayer", [grey[..., None].copy()], layouts=["HWC"], bar="exact", blue_position=[0, 1])
    for shape in ((2, 8), (4, 4), (6, 20), (8, 8), (10, 6)):
        for algorithm in ("bilinear_ocv", "edgeaware_ocv", "vng_ocv", "gray_ocv"):
            case(f"debayer small {shape} {algorithm}", "debayer", [noise[: shape[0], : shape[1], 0].copy()],
                 layouts=["HW"], bar="exact", algorithm=algorithm, blue_position=[1, 0])
