"""Cases of `operator_cases.py` for operators on numbers: fills, reductions, transforms, boxes, sequences."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np


def add(case: Callable[..., None], enum: Callable[[str], Any]) -> None:
    """Adds them by `case`; `enum` names a member of `types`."""
    random = np.random.default_rng(21)
    for group in (_fills, _reductions, _transforms, _boxes, _sequences, _pictures):
        group(case, enum, random)


def _fills(case, enum, random) -> None:
    for name in ("zeros", "ones"):
        case(name, name, [], bar="exact")
        case(f"{name} shaped", name, [], bar="exact", shape=[2, 3], layout="HW", dtype=enum("FLOAT"))
        case(f"{name} by a tensor", name, [], bar="exact", tensors={"shape": np.int32([2, 1])})
        like = np.uint8([[1, 2], [3, 4]])
        case(f"{name}_like", f"{name}_like", [like], layouts=["HW"], bar="exact")
        case(f"{name}_like typed", f"{name}_like", [like], bar="exact", dtype=enum("INT64"))
    case("full", "full", [np.float32([1.5, 2, 3])], bar="exact", shape=[2, 3])
    case("full column", "full", [np.uint8([[1], [2]])], bar="exact", shape=[4, 2, 3], layout="ABC")
    case("full of a larger rank", "full", [np.uint8([[1, 2, 3]])], bar="exact", shape=[3])
    case("full_like", "full_like", [np.zeros((2, 3), np.uint8), np.float32([-1.5, 2.5, 300])], layouts=["HW"],
         bar="exact")
    table = {"keys": [0, 2, 3, 4, 5, 3], "values": [0.2, 0.4, 0.5, 0.6, 0.7, 0.1], "default_value": 0.99}
    case("lookup_table", "lookup_table", [np.int32([1, 4, 1, 0, 100, 2, 3, 4, -5])], bar="exact", **table)
    for kind in ("int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64"):
        numbers = np.array([[0, 1, 2, 100]]).astype(kind)
        case(f"lookup_table {kind}", "lookup_table", [numbers], layouts=["HW"], bar="exact", dtype=enum("INT8"),
             keys=[1, 2], values=[300.0, 1.5], default_value=-2.5)
    case("lookup_table largest key", "lookup_table", [np.int32([65535, 65536])], bar="exact", keys=[65535], values=[1.0])
    case("lookup_table empty", "lookup_table", [np.int32([1, -1])], bar="exact", default_value=3.0)


def _reductions(case, enum, random) -> None:
    shapes = {"all": {}, "one": {"axes": [0]}, "kept": {"axes": [0, -1], "keep_dims": True},
              "none": {"axes": []}, "names": {"axis_names": "CH"}, "all kept": {"keep_dims": True}}
    for kind in ("uint8", "int8", "int16", "uint32", "int64", "float32"):
        numbers = (random.random((5, 4, 3)) * 100).astype(kind)
        for name, args in shapes.items():
            for op in ("sum", "mean", "mean_square", "rms", "min", "max"):
                bar = "exact" if op in ("min", "max") or (op == "sum" and kind != "float32") else "float"
                case(f"{op} {kind} {name}", f"reductions.{op}", [numbers], layouts=["HWC"], bar=bar, **args)
        for op in ("variance", "std_dev"):
            case(f"{op} {kind}", f"reductions.{op}", [numbers, np.float32(3.5).reshape(())], layouts=["HWC"])
            means = numbers.mean(axis=(0, 1)).astype(np.float32)
            for more in ({}, {"ddof": 1}):
                case(f"{op} {kind} axes {more}", f"reductions.{op}", [numbers, means], layouts=["HWC"], axes=[0, 1],
                     **more)
            case(f"{op} {kind} kept", f"reductions.{op}", [numbers, means.reshape(1, 1, 3)], layouts=["HWC"],
                 axis_names="HW", keep_dims=True)
    small = np.uint8([[1, 2], [3, 5]])
    case("sum to float", "reductions.sum", [small], dtype=enum("FLOAT"))
    case("sum of nothing", "reductions.sum", [np.zeros((0, 2), np.float32)], bar="exact", axes=[0])
    case("mean of nothing", "reductions.mean", [np.zeros((0, 2), np.float32)], axes=[0])
    case("mean of a scalar", "reductions.mean", [np.float32(3).reshape(())])


def _transforms(case, enum, random) -> None:
    plane = np.float32([[1, 2, 3], [4, 5, 6]])
    space = np.float32([[1, 2, 3, 4], [4, 5, 6, 7], [7, 8, 9, 1]])
    arguments = {
        "translation": [{"offset": [1.0, 2.0]}, {"offset": [1.0, 2.0, 3.0]}, {"offset": [4.0]}],
        "scale": [{"scale": [2.0, 3.0]}, {"scale": [2.0]}, {"scale": [2.0], "ndim": 3}, {"scale": [2.0, 3.0], "ndim": 3},
                  {"scale": [2.0, 3.0], "center": [1.0, 4.0]}, {"scale": [2.0, 3.0], "center": [5.0]}],
        "rotation": [{"angle": 30.0}, {"angle": 90.0}, {"angle": -100.0, "center": [1.0, 2.0]},
                     {"angle": 30.0, "axis": [1.0, 2.0, 3.0]},
                     {"angle": 70.0, "axis": [-1.0, 0.5, 0.0], "center": [1.0, 2.0, 3.0]}],
        "shear": [{"shear": [2.0, 3.0]}, {"shear": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, {"angles": [20.0, 30.0]},
                  {"shear": [2.0, 3.0], "center": [4.0, 5.0]},
                  {"angles": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "center": [1.0, 2.0, 3.0]}],
        "crop": [{}, {"from_start": [1.0, 2.0], "from_end": [3.0, 5.0], "to_start": [0.0, 0.5], "to_end": [1.0, 2.0]},
                 {"from_start": [3.0, 2.0], "from_end": [1.0, 5.0]}, {"from_start": [1.0], "from_end": [2.0, 5.0]},
                 {"from_start": [3.0, 2.0], "from_end": [1.0, 5.0], "absolute": True}],
    }
    for op, all_args in arguments.items():
        for args in all_args:
            case(f"transforms.{op} {args}", f"transforms.{op}", [], **args)
    for reverse in (False, True):
        for op, args, incoming in (
            ("translation", {"offset": [1.0, 2.0]}, plane), ("scale", {"scale": [2.0]}, space),
            ("scale", {"scale": [2.0, 3.0], "center": [1.0, 4.0]}, plane), ("rotation", {"angle": 30.0}, plane),
            ("rotation", {"angle": 30.0, "axis": [1.0, 2.0, 3.0]}, space), ("shear", {"shear": [2.0, 3.0]}, plane),
            ("crop", {"from_end": [2.0, 5.0]}, plane),
        ):
            case(f"transforms.{op} after {incoming.shape} {args} {reverse}", f"transforms.{op}", [incoming],
                 reverse_order=reverse, **args)
        case(f"transforms.combine {reverse}", "transforms.combine", [plane, plane[::-1].copy(), plane * 2],
             reverse_order=reverse)
        case(f"transforms.combine frames {reverse}", "transforms.combine", [plane, np.stack([plane, 2 * plane])],
             layouts=[None, "F**"], reverse_order=reverse)
    offsets = np.float32([[3, 4], [5, 6]])
    case("transforms.translation by a tensor", "transforms.translation", [], tensors={"offset": offsets[0].copy()})
    for incoming, layout in ((plane, None), (np.stack([plane, 2 * plane]), "F**")):
        case(f"transforms.translation by frames {layout}", "transforms.translation", [incoming], layouts=[layout],
             tensors={"offset": offsets}, tensor_layouts={"offset": "F*"})


def _boxes(case, enum, random) -> None:
    boxes = np.float32([[0.1, 0.2, 0.3, 0.5], [0.4, 0.1, 0.5, 0.2]])
    for ltrb in (False, True):
        for flips in ({}, {"vertical": 1}, {"horizontal": 0, "vertical": 1}, {"horizontal": 0}):
            case(f"bb_flip {ltrb} {flips}", "bb_flip", [boxes], ltrb=ltrb, **flips)
        for places in ({}, {"paste_x": 0.2, "paste_y": 1.0}):
            case(f"bbox_paste {ltrb} {places}", "bbox_paste", [boxes], ltrb=ltrb, ratio=1.7, **places)
    case("bb_flip one box", "bb_flip", [boxes[0].copy()])
    case("bb_flip by a tensor", "bb_flip", [[boxes, boxes]],
         tensors={"horizontal": [np.int32(0).reshape(()), np.int32(1).reshape(())]})
    points = np.float32([[0.1, 0.2, 0.3], [0.4, 0.1, 0.7]])
    case("coord_flip", "coord_flip", [points])
    case("coord_flip plane", "coord_flip", [points[:, :2].copy()], flip_y=1, center_y=2.0)
    case("coord_flip zyx", "coord_flip", [points], layout="zyx", flip_z=1, center_z=3.0)
    matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    for name, args in {"identity": {}, "M": {"M": matrix}, "scalar M": {"M": 2.0}, "scalar T": {"T": 1.0},
                       "M and T": {"M": matrix, "T": [1.0, -1.0]}, "MT": {"MT": [*matrix, 7.0, 8.0]},
                       "scalar MT": {"MT": 2.0}}.items():
        case(f"coord_transform {name}", "coord_transform", [points], layouts=["NX"], **args)
    integers = np.int32([[1, 2, 3], [3, 4, 5]])
    case("coord_transform int", "coord_transform", [integers], M=[1.5, *matrix[1:]])
    case("coord_transform int to int", "coord_transform", [integers], M=[1.5, *matrix[1:]], dtype=enum("INT32"))
    case("coord_transform some without points", "coord_transform", [[points, points[:0]]], M=matrix)
    case("coord_transform by a tensor", "coord_transform", [points], tensors={"M": np.float32(matrix).reshape(2, 3)})
    case("coord_transform frames", "coord_transform", [np.stack([points, points])], layouts=["FNX"],
         tensors={"M": np.stack([np.eye(3), 2 * np.eye(3)]).astype(np.float32)}, tensor_layouts={"M": "F**"})


def _sequences(case, enum, random) -> None:
    frames = np.arange(24, dtype=np.uint8).reshape(4, 2, 3)
    case("element_extract", "element_extract", [frames], layouts=["FHW"], bar="exact", element_map=[3])
    case("element_extract without layout", "element_extract", [frames], bar="exact", element_map=[1])
    case("sequence_rearrange", "sequence_rearrange", [frames], layouts=["FHW"], bar="exact", new_order=[3, 0, 0])
    case("sequence_rearrange by a tensor", "sequence_rearrange", [frames], bar="exact",
         tensors={"new_order": np.int32([2, 1])})
    case("per_frame", "per_frame", [frames], bar="exact")
    case("per_frame named", "per_frame", [frames], layouts=["FHW"], bar="exact")
    case("per_frame replaced", "per_frame", [frames], layouts=["HWC"], bar="exact", replace=True)


def _pictures(case, enum, random) -> None:
    image = (random.random((9, 11, 3)) * 200).astype(np.uint8)
    for name, args in {"half": {"ratio": 1.5, "fill_value": [1, 2, 3]}, "one fill": {"ratio": 2.0, "fill_value": [9]},
                       "corner": {"ratio": 1.3, "fill_value": [7], "paste_x": 0.1, "paste_y": 1.0},
                       "least": {"ratio": 1.0, "fill_value": [7], "min_canvas_size": 10.0},
                       "same": {"ratio": 1.0, "fill_value": [7]}}.items():
        case(f"paste {name}", "paste", [image], layouts=["HWC"], bar="exact", **args)
    case("paste by tensors", "paste", [[image, image]], layouts=["HWC"], bar="exact", fill_value=[0],
         tensors={"ratio": [np.float32(1.2).reshape(()), np.float32(1.7).reshape(())]})
    large = np.full((40, 50, 2), 200, np.uint8)
    for args in ({}, {"tile": 4}, {"tile": 4, "ratio": 0.25}, {"tile": 5, "shift_x": 1.0}, {"tile": 4, "shift_y": 2.5},
                 {"tile": 7, "angle": 0.3, "ratio": 0.4, "shift_x": 2.0, "shift_y": 5.0},
                 {"tile": 9, "angle": -1.2, "ratio": 0.6, "shift_x": 3.0, "shift_y": 1.0}):
        case(f"grid_mask {args}", "grid_mask", [large], layouts=["HWC"], bar="exact", **args)
    case("grid_mask float", "grid_mask", [large.astype(np.float32)], layouts=["HWC"], bar="exact", tile=6)
    case("equalize", "equalize", [image], layouts=["HWC"], bar="exact")
    case("equalize planes", "equalize", [image.transpose(2, 0, 1).copy()], layouts=["CHW"], bar="exact")
    case("equalize grey", "equalize", [image[..., 0].copy()], layouts=["HW"], bar="exact")
    case("equalize dark", "equalize", [image // 20 + 40], layouts=["HWC"], bar="exact")
    case("equalize halves", "equalize", [np.arange(25, dtype=np.uint8).reshape(5, 5, 1)], layouts=["HWC"], bar="exact")
    case("equalize one level", "equalize", [large], layouts=["HWC"], bar="exact")
    case("equalize frames", "equalize", [np.stack([image, image // 3])], layouts=["FHWC"], bar="exact")
