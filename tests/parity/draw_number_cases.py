"""Cases of `draw_cases.py` for operators that draw numbers, orders, windows and places of pixels."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

Sample = list[np.ndarray]
Numbers = Callable[[list[Sample]], list[dict[str, float]]]
"""Of a batch the numbers of each sample."""

Drawn = tuple[str, list[np.ndarray], dict[str, Any], Numbers]


def each(numbers: Callable[[Sample], dict[str, float]]) -> Numbers:
    """Of operators that draw for each sample by itself."""
    return lambda batch: [numbers(sample) for sample in batch]


def _pair(sample: Sample) -> dict[str, float]:
    """Two numbers, and what would show if one had to do with the other."""
    first, second = (float(number) for number in sample[0])
    return {"first": first, "second": second, "sum": first + second, "difference": first - second}


def _numbers(op: str, *inputs: np.ndarray, **args: Any) -> Drawn:
    return op, list(inputs), {"shape": [2], **args}, each(_pair)


def _window(**args: Any) -> Drawn:
    return "roi_random_crop", [], args, each(lambda sample: {"y": float(sample[0][0]), "x": float(sample[0][1])})


def _order(**args: Any) -> Drawn:
    """Where a sample comes from, how far that is, and how far from there the next one's place is."""

    def numbers(batch: list[Sample]) -> list[dict[str, float]]:
        places = np.array([int(sample[0]) for sample in batch])
        moved = (places - np.arange(len(places))) % len(places)
        on = (np.roll(places, -1) - places) % len(places)
        return [dict(zip(("place", "moved", "on"), map(float, three))) for three in zip(places, moved, on)]

    return "batch_permutation", [], args, numbers


PLACES = np.uint8(np.moveaxis(np.indices((7, 9)), 0, -1))


def _moved(**args: Any) -> Drawn:
    """Where two neighbours within an image, and one in its corner, are taken from."""

    def numbers(sample: Sample) -> dict[str, float]:
        image = sample[0].astype(np.float64)
        (y, x), (next_y, next_x), (low, right) = image[3, 4], image[3, 5], image[6, 8]
        return {"y": y, "x": x, "y and x": y + 10 * x, "y of both": y + 10 * next_y, "x of both": x + 10 * next_x,
                "corner": low + 10 * right}

    return "jitter", [PLACES], args, each(numbers)


EVEN = {"crop_shape": [4, 5], "in_shape": [20, 30]}
CASES: dict[str, Drawn] = {
    "uniform": _numbers("random.uniform"),
    "uniform in a range": _numbers("random.uniform", range=[-3.0, 10.0]),
    "uniform of values": _numbers("random.uniform", values=[1.0, 2.5, -7.0, 2.5]),
    "normal": _numbers("random.normal"),
    "normal elsewhere": _numbers("random.normal", mean=-3.0, stddev=7.5),
    "coin_flip": _numbers("random.coin_flip"),
    "coin_flip, seldom": _numbers("random.coin_flip", probability=0.07),
    "choice of numbers": _numbers("random.choice", np.int32(7).reshape(())),
    "choice by chance": _numbers("random.choice", np.int32(4).reshape(()), p=[0.1, 0.2, 0.0, 0.7]),
    "choice of elements": _numbers("random.choice", np.float32([1, 3, 3, -5, 9])),
    "beta": _numbers("random.beta"),
    "beta, to one side": _numbers("random.beta", alpha=2.0, beta=5.0),
    "beta, to both sides": _numbers("random.beta", alpha=0.4, beta=0.3),
    "beta, narrow": _numbers("random.beta", alpha=30.0, beta=20.0),
    "order": _order(),
    "order without own places": _order(no_fixed_points=True),
    "order with repetitions": _order(allow_repetitions=True),
    "order with repetitions elsewhere": _order(allow_repetitions=True, no_fixed_points=True),
    "window in a region": _window(roi_start=[5, 6], roi_shape=[9, 11], **EVEN),
    "window about a region": _window(roi_start=[5, 6], roi_shape=[2, 3], **EVEN),
    "window at the border": _window(roi_start=[0, 27], roi_end=[1, 29], **EVEN),
    "window in a corner": _window(roi_start=[0, 22], roi_end=[8, 30], **EVEN),
    "window of one place": _window(roi_start=[2, 3], roi_shape=[4, 5], **EVEN),
    "window without an image": _window(crop_shape=[4, 9], roi_start=[1, 2], roi_shape=[9, 3]),
    **{f"jitter {degree}": _moved(nDegree=degree) for degree in (1, 2, 3, 6)},
}
