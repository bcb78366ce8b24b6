"""What operators draw, as numbers whose distribution is compared: the draws themselves differ.

`record_draws.py` runs the cases with DALI and keeps, of each number, how often it lies below some limits;
`test_draws.py` expects the same of Forebay's, within what chance allows. Here are those of detection.
"""

from __future__ import annotations

from typing import Any

import draw_number_cases
import numpy as np
from draw_number_cases import Numbers, Sample, each

BATCH = 250
LIMITS = 24  # of each number

BOXES = np.float32([[0.1, 0.2, 0.35, 0.5], [0.4, 0.1, 0.9, 0.3], [0.3, 0.55, 0.7, 0.95]])
LABELS = np.int32([1, 2, 3])
MASK = np.zeros((12, 15), np.uint8)
MASK[1:3, 2:5] = MASK[6:11, 1:4] = MASK[5, 12] = 1
MASK[0:4, 8:12] = MASK[10:12, 10:14] = 2
MASK[7, 7] = 3


def _window(sample: Sample) -> dict[str, float]:
    anchor, shape, boxes, labels = sample[:4]
    return {"x": anchor[0], "y": anchor[1], "width": shape[0], "height": shape[1], "boxes": len(boxes),
            "labels": float(labels.sum()), "first": float(boxes[0, 0]) if len(boxes) else -1.0}


def _crop(**args: Any) -> tuple[str, list[np.ndarray], dict[str, Any], Numbers]:
    return "random_bbox_crop", [BOXES, LABELS], args, each(_window)


def _object(**args: Any) -> tuple[str, list[np.ndarray], dict[str, Any], Numbers]:
    def numbers(sample: Sample) -> dict[str, float]:
        return {f"at {i}": float(value) for i, value in enumerate(np.concatenate([one.ravel() for one in sample]))}

    return "segmentation.random_object_bbox", [MASK], args, each(numbers)


def _pixel(**args: Any) -> tuple[str, list[np.ndarray], dict[str, Any], Numbers]:
    numbers = each(lambda sample: {"y": sample[0][0], "x": sample[0][1]})
    return "segmentation.random_mask_pixel", [MASK], args, numbers


def _ssd(sample: Sample) -> dict[str, float]:
    image, boxes, labels = sample
    return {"height": image.shape[0], "width": image.shape[1], "boxes": len(boxes), "labels": float(labels.sum())}


WIDE = {"scaling": [0.3, 1.0], "aspect_ratio": [0.5, 2.0]}
CASES: dict[str, tuple[str, list[np.ndarray], dict[str, Any], Numbers]] = {
    "crop": _crop(**WIDE, allow_no_crop=False),
    "crop as SSD": _crop(**WIDE, thresholds=[0.0, 0.1, 0.3, 0.5, 0.7, 0.9], num_attempts=10),
    "crop, one box is enough": _crop(**WIDE, thresholds=[0.2], all_boxes_above_threshold=False),
    "crop by overlap": _crop(**WIDE, thresholds=[0.5, 0.8], threshold_type="overlap", allow_no_crop=False),
    "crop, pruned": _crop(**WIDE, bbox_prune_threshold=0.4, allow_no_crop=False),
    "crop, the best": _crop(**WIDE, thresholds=[0.9], total_num_attempts=8, allow_no_crop=False),
    "crop of a ratio": _crop(scaling=[0.2, 0.8], aspect_ratio=[2.0, 2.0], allow_no_crop=False),
    "crop of the image's ratio": _crop(scaling=[0.3, 0.9], aspect_ratio=[0.8, 1.25], input_shape=[90, 120],
                                       shape_layout="HW", allow_no_crop=False),
    "crop of pixels": _crop(crop_shape=[60, 40], input_shape=[100, 50]),
    "ssd_random_crop": ("ssd_random_crop", [np.zeros((40, 50, 3), np.uint8), BOXES, LABELS], {"num_attempts": 3},
                        each(_ssd)),
    "object": _object(output_class=True),
    "object of classes": _object(classes=[1, 2], class_weights=[1.0, 3.0], format="box", output_class=True),
    "object of any class": _object(ignore_class=True, k_largest=4, foreground_prob=0.7),
    "object that is large": _object(threshold=[2, 3], format="start_end"),
    "pixel": _pixel(),
    "pixel of the foreground": _pixel(foreground=1),
    "pixel of a value": _pixel(foreground=1, value=2),
    **draw_number_cases.CASES,
}


def run(lib: Any, name: str, samples: int) -> dict[str, np.ndarray]:
    """The numbers of `samples` draws by `lib`."""
    op, inputs, args, numbers = CASES[name]

    def fed(array: np.ndarray) -> Any:
        return lib.fn.external_source(source=lambda: [array] * BATCH)

    pipe = lib.Pipeline(batch_size=BATCH, num_threads=1, device_id=None, seed=11)
    with pipe:
        function = lib.fn
        for part in op.split("."):
            function = getattr(function, part)
        made = function(*[fed(array) for array in inputs], **args)
        pipe.set_outputs(*(made if isinstance(made, (list, tuple)) else [made]))
    pipe.build()
    drawn: list[dict[str, float]] = []
    while len(drawn) < samples:
        batch = pipe.run()
        drawn += numbers([[np.array(out.at(i)) for out in batch] for i in range(BATCH)])
    return {number: np.array([draw[number] for draw in drawn]) for number in drawn[0]}


def shares_below(values: np.ndarray, limits: list[float]) -> list[float]:
    """What part of the values is not above each limit."""
    return [float(np.mean(values <= limit)) for limit in limits]


def limits_of(values: np.ndarray) -> list[float]:
    """Limits between values that are well apart, so that the last bit of one matters to none."""
    distinct = np.unique(values)
    between = (distinct[:-1] + distinct[1:]) / 2 if len(distinct) > 1 else distinct + 1
    chosen = np.linspace(0, len(between) - 1, min(LIMITS, len(between))).astype(int)
    return [float(between[i]) for i in chosen]
