"""Cases of `operator_cases.py` for detection and segmentation: boxes, anchors, masks.

Of operators that draw, those arguments that leave nothing to chance; `draw_cases.py` compares what they draw.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np


def add(case: Callable[..., None], enum: Callable[[str], Any]) -> None:
    """Adds them by `case`; `enum` names a member of `types`."""
    for number, group in enumerate((_turned, _encoded, _cropped, _masks)):
        group(case, np.random.default_rng([22, number]))


def some_boxes(random: np.random.Generator, count: int) -> np.ndarray:
    low = random.uniform(0, 0.7, (count, 2))
    return np.float32(np.concatenate([low, low + random.uniform(0.05, 0.3, (count, 2))], axis=1))


def as_extents(boxes: np.ndarray) -> np.ndarray:
    return np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)


def _turned(case, random) -> None:
    boxes = some_boxes(random, 9)
    labels = np.arange(9, dtype=np.int32) + 3
    shape = {"input_shape": [40, 53]}
    for angle in (0.0, 17.0, 45.0, 90.0, -130.0, 200.0):
        for mode in ("expand", "fixed", "halfway"):
            for keep in (False, True):
                name = f"bbox_rotate {angle} {mode} {keep}"
                more = {"angle": angle, "mode": mode, "keep_size": keep, **shape}
                case(name, "bbox_rotate", [boxes], **more)
                case(f"{name} labels", "bbox_rotate", [boxes, labels], output=1, bar="exact", remove_threshold=0.7, **more)
    case("bbox_rotate xyWH", "bbox_rotate", [as_extents(boxes)], angle=33.0, bbox_layout="xyWH", **shape)
    pixels = boxes * np.float32([53, 40, 53, 40])
    case("bbox_rotate pixels", "bbox_rotate", [pixels], angle=33.0, bbox_normalized=False, **shape)
    case("bbox_rotate size", "bbox_rotate", [boxes], angle=33.0, size=[30.7, 61.0], **shape)
    case("bbox_rotate WHC", "bbox_rotate", [boxes], angle=33.0, shape_layout="CWH", input_shape=[3, 53, 40])
    case("bbox_rotate column of labels", "bbox_rotate", [boxes, labels[:, None].copy()], output=1, bar="exact", angle=50.0,
         keep_size=True, remove_threshold=0.9, **shape)
    case("bbox_rotate no boxes", "bbox_rotate", [boxes[:0].copy(), labels[:0].copy()], output=1, bar="exact", angle=9.0, **shape)
    case("bbox_rotate by tensors", "bbox_rotate", [[boxes, boxes[:4].copy()]],
         tensors={"angle": [np.float32(20).reshape(()), np.float32(-70).reshape(())],
                  "input_shape": [np.int32([40, 53]), np.int32([80, 30])]})


def _anchors(random: np.random.Generator) -> list[float]:
    """Default boxes about a grid, as SSD has them."""
    anchors = []
    for cells, extent in ((6, 0.2), (3, 0.45), (1, 0.9)):
        for y in range(cells):
            for x in range(cells):
                for ratio in (1.0, 2.0, 0.5):
                    half = np.float32([extent * ratio**0.5, extent / ratio**0.5]) / 2
                    center = (np.float32([x, y]) + 0.5) / cells
                    anchors += [*(center - half), *(center + half)]
    return [float(number) for number in np.clip(anchors, 0, 1)]


def _encoded(case, random) -> None:
    anchors = _anchors(random)
    boxes = [some_boxes(random, count) for count in (1, 5, 20, 0)]
    labels = [np.arange(len(one), dtype=np.int32) + 1 for one in boxes]
    for name, args in {"plain": {}, "strict": {"criteria": 0.9}, "loose": {"criteria": 0.1},
                       "offset": {"offset": True},
                       "normalised": {"offset": True, "scale": 300.0, "means": [0.0, 0.1, 0.2, 0.3],
                                      "stds": [0.1, 0.1, 0.2, 0.2]}}.items():
        case(f"box_encoder {name}", "box_encoder", [boxes, labels], anchors=anchors, **args)
        case(f"box_encoder {name} labels", "box_encoder", [boxes, labels], output=1, bar="exact", anchors=anchors, **args)


def _cropped(case, random) -> None:
    boxes = some_boxes(random, 5)
    labels = np.arange(5, dtype=np.int32)
    whole = {"allow_no_crop": False, "all_boxes_above_threshold": False}
    for output, bar in enumerate(("exact", "exact", "exact", "exact", "exact")):
        case(f"random_bbox_crop whole {output}", "random_bbox_crop", [boxes, labels], output=output, bar=bar,
             output_bbox_indices=True, **whole)
        case(f"random_bbox_crop pixels {output}", "random_bbox_crop", [boxes, labels], output=output, bar=bar,
             output_bbox_indices=True, crop_shape=[50, 40], input_shape=[50, 40])
    for layout in ("xyXY", "yxYX", "XYxy"):
        turned = boxes[:, ["xyXY".index(letter) for letter in layout]].copy()
        case(f"random_bbox_crop {layout}", "random_bbox_crop", [turned], output=2, bar="exact", bbox_layout=layout, **whole)
    case("random_bbox_crop xyWH", "random_bbox_crop", [as_extents(boxes)], output=2, ltrb=False, **whole)
    space = np.float32([[0.1, 0.2, 0.3, 0.5, 0.6, 0.7], [0.0, 0.5, 0.2, 0.4, 1.0, 0.9]])
    for output in range(3):
        case(f"random_bbox_crop in space {output}", "random_bbox_crop", [space], output=output, bar="exact", **whole)
        # One axis has no room, so nothing is left to chance.
        case(f"random_bbox_crop shape layout {output}", "random_bbox_crop", [space], output=output, crop_shape=[9, 8, 7],
             input_shape=[9, 8, 7], shape_layout="DHW")


def _masks(case, random) -> None:
    mask = np.zeros((7, 9), np.uint8)
    mask[1:4, 2:7] = 3
    mask[5, 5] = 3
    mask[6, 8] = 5
    for kind in ("uint8", "int16", "int32", "uint32", "bool"):
        for output, form in ((0, "box"), (1, "anchor_shape"), (1, "start_end")):
            case(f"random_object_bbox {kind} {form}", "segmentation.random_object_bbox", [mask.astype(kind)], output=output,
                 bar="exact", format=form, k_largest=1, threshold=[2, 2])
    only = {"bar": "exact", "format": "box", "output_class": True}
    for output in range(2):
        case(f"random_object_bbox of a class {output}", "segmentation.random_object_bbox", [mask], output=output, classes=[5],
             **only)
        case(f"random_object_bbox by weights {output}", "segmentation.random_object_bbox", [mask], output=output,
             class_weights=[0.0, 0.0, 0.0, 0.0, 1.0], **only)
        case(f"random_object_bbox none {output}", "segmentation.random_object_bbox", [mask], output=output, classes=[0, -2, 7],
             threshold=[8, 8], **only)
        case(f"random_object_bbox background {output}", "segmentation.random_object_bbox", [mask], output=output,
             foreground_prob=0.0, background=3, **only)
    case("random_mask_pixel value", "segmentation.random_mask_pixel", [mask], bar="exact", foreground=1, value=5)
    case("random_mask_pixel threshold", "segmentation.random_mask_pixel", [mask.astype(np.float32)], bar="exact", foreground=1,
         threshold=3.5)
    polygons = np.int32([[0, 0, 3], [1, 3, 7], [2, 7, 10]])
    for kind in ("float32", "int16", "uint8", "float64"):
        vertices = random.uniform(0, 100, (10, 2)).astype(kind)
        for ids in ([1], [2, 0], [0, 1, 2], []):
            for again in (False, True):
                for output in range(2):
                    case(f"select_masks {kind} {ids} {again} {output}", "segmentation.select_masks",
                         [np.int32(ids), polygons, vertices], output=output, bar="exact", reindex_masks=again)
