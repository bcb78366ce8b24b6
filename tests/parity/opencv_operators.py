"""What OpenCV makes of the cases of `operator_cases.py` that DALI runs on a GPU alone, and NumPy of those that draw."""

from __future__ import annotations

from typing import Any, Callable

import cv2
import numpy as np

BORDERS = {"constant": cv2.BORDER_CONSTANT, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT,
           "reflect_101": cv2.BORDER_REFLECT_101}
INTERPOLATIONS = {"INTERP_NN": cv2.INTER_NEAREST, "INTERP_LINEAR": cv2.INTER_LINEAR, "INTERP_CUBIC": cv2.INTER_CUBIC}


def _median_blur(image: np.ndarray, window_size: list[int]) -> np.ndarray:
    width, height = window_size
    assert width == height
    return cv2.medianBlur(image, width)


def _morphology(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def run(image: np.ndarray, mask_size=(3, 3), anchor=(-1, -1), iterations=1, border_mode="constant") -> np.ndarray:
        width, height = mask_size
        return function(image, np.ones((height, width), np.uint8), anchor=tuple(anchor), iterations=iterations,
                        borderType=BORDERS[border_mode])

    return run


def _remap(image: np.ndarray, xs: np.ndarray, ys: np.ndarray, interp: str, pixel_origin: str) -> np.ndarray:
    shift = np.float32(0.5 if pixel_origin == "corner" else 0)
    return cv2.remap(image, xs - shift, ys - shift, INTERPOLATIONS[interp])


def _resize(image: np.ndarray, size: list[int], interp_type: str, antialias: bool = True) -> np.ndarray:
    height, width = size
    nearest = interp_type == "INTERP_NN"
    assert nearest or not antialias
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_NEAREST_EXACT if nearest else cv2.INTER_LINEAR)


FUNCTIONS = {"experimental.median_blur": _median_blur, "experimental.dilate": _morphology(cv2.dilate),
             "experimental.erode": _morphology(cv2.erode), "experimental.remap": _remap,
             "experimental.resize": _resize}


def _of_layout(function: Callable[..., np.ndarray], layout: str, image: np.ndarray, *more: Any) -> np.ndarray:
    if layout[0] in "FC":
        return np.stack([_of_layout(function, layout[1:], part, *more) for part in image])
    made = function(np.ascontiguousarray(image), *more)
    return made.reshape(*made.shape[:2], *image.shape[2:])


def run(case: Any) -> tuple[list[np.ndarray], str]:
    """The batch that OpenCV makes of the case, and its layout."""
    def function(image: np.ndarray, *more: np.ndarray) -> np.ndarray:
        return FUNCTIONS[case.op](image, *more, **case.args)

    layout = case.layouts[0]
    return [_of_layout(function, layout, *sample) for sample in zip(*case.inputs)], layout


def _jitter(random: np.random.Generator, image: np.ndarray, nDegree: int) -> np.ndarray:
    """Each pixel from one of nDegree places along each axis around its own; places beyond the border lie on it."""
    places = [np.clip(own + random.integers(0, nDegree, own.shape) - nDegree // 2, 0, extent - 1)
              for own, extent in zip(np.indices(image.shape[:2]), image.shape)]
    return image[tuple(places)]


DRAWN = {"jitter": _jitter}


def drawn(op: str, inputs: list[np.ndarray], args: dict[str, Any], numbers: Any, samples: int) -> dict[str, np.ndarray]:
    """The numbers of `samples` draws, as `draw_cases.run` gives them."""
    random = np.random.default_rng(11)
    draws = numbers([[DRAWN[op](random, *inputs, **args)] for _ in range(samples)])
    return {name: np.array([draw[name] for draw in draws]) for name in draws[0]}
