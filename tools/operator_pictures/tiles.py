"""How inputs and results become tiles: boxes and points on pictures, bars, labels in colours, tiles in a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

GAP = 6
PAPER, INK = 246, (44, 62, 80)
# Told apart by people who see few colours, too.
COLOURS = ((255, 255, 255), (255, 214, 64), (255, 92, 160), (90, 220, 255))
LABEL_COLOURS = (
    (32, 38, 52), (122, 110, 170), (72, 132, 190), (132, 178, 84), (38, 104, 82), (240, 226, 200), (214, 80, 66),
)


def coloured(picture: np.ndarray) -> np.ndarray:
    """Bytes of one or three channels as three channels."""
    if picture.dtype != np.uint8:
        raise TypeError(f"a picture of {picture.dtype}, which is not shown as it is")
    planes = picture[..., None] if picture.ndim == 2 else picture
    return np.broadcast_to(planes, (*planes.shape[:2], 3))


def levels(values: np.ndarray, low: float = 0, high: float = 255) -> np.ndarray:
    """Numbers as bytes: `low` becomes black, `high` white."""
    part = np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1)
    return np.floor(part * 255 + 0.5).astype(np.uint8)


def enlarged(picture: np.ndarray, times: int) -> np.ndarray:
    return picture.repeat(times, 0).repeat(times, 1)


def in_row(pictures: Iterable[np.ndarray], gap: int = GAP) -> np.ndarray:
    """Pictures beside each other with transparent gaps, at half height where they are lower: height x width x 4."""
    parts = [np.dstack([coloured(part), np.full(part.shape[:2], 255, np.uint8)]) if part.ndim == 2 or part.shape[2] < 4
             else part for part in pictures]
    height, width = max(part.shape[0] for part in parts), sum(part.shape[1] + gap for part in parts) - gap
    result = np.zeros((height, width, 4), np.uint8)
    left = 0
    for part in parts:
        top = (height - part.shape[0]) // 2
        result[top : top + part.shape[0], left : left + part.shape[1]] = part
        left += part.shape[1] + gap
    return result


def turned(picture: np.ndarray) -> np.ndarray:
    return picture.swapaxes(0, 1)


def in_column(pictures: Iterable[np.ndarray], gap: int = GAP) -> np.ndarray:
    return turned(in_row(map(turned, pictures), gap))


def in_grid(pictures: Sequence[np.ndarray], columns: int = 2) -> np.ndarray:
    """Pictures of one size, some in each row."""
    rows = [pictures[first : first + columns] for first in range(0, len(pictures), columns)]
    return in_column([in_row(row, 2) for row in rows], 2)


def with_boxes(picture: np.ndarray, boxes: Iterable[Sequence[float]], colours: Sequence[Sequence[int]] = COLOURS[:3],
               width: int = 2) -> np.ndarray:
    """The picture with the outlines of boxes: left, top, right, bottom in pixels. What lies outside is left out."""
    result = coloured(picture).copy()
    extents = result.shape[1::-1] * 2
    for number, box in enumerate(boxes):
        left, top, right, bottom = (int(np.clip(np.rint(edge), 0, most)) for edge, most in zip(box, extents))
        outline = np.zeros(result.shape[:2], bool)
        outline[top:bottom, left:right] = True
        outline[top + width : bottom - width, left + width : right - width] = False
        result[outline] = colours[number % len(colours)]
    return result


def in_pixels(boxes: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """Boxes that were given as parts of the picture's width and height."""
    height, width = picture.shape[:2]
    return np.asarray(boxes, np.float64) * (width, height, width, height)


def with_points(picture: np.ndarray, points: Iterable[Sequence[float]], colour: Sequence[int] = COLOURS[1],
                radius: float = 2.5) -> np.ndarray:
    """The picture with discs at points x, y in pixels, each with a dark rim."""
    result = coloured(picture).copy()
    y, x = np.mgrid[: result.shape[0], : result.shape[1]] + 0.5
    for across, down in points:
        distance = (x - across) ** 2 + (y - down) ** 2
        result[distance < (radius + 1) ** 2] = INK
        result[distance < radius**2] = colour
    return result


def bars(counts: np.ndarray, height: int = 90, width: int = 4, colour: Sequence[int] = (74, 134, 198)) -> np.ndarray:
    """A bar for each count on light paper, the tallest almost as high as the tile."""
    result = np.full((height, len(counts) * width + 8, 3), PAPER, np.uint8)
    tallest = max(1, int(np.max(counts)))
    for number, count in enumerate(counts):
        top = height - 3 - int(count) * (height - 10) // tallest
        left = 4 + number * width
        result[top : height - 3, left : left + width - max(1, width // 8)] = colour
    result[height - 3 : height - 2] = INK
    return result


def histogram(values: np.ndarray, low: float, high: float, count: int = 28) -> np.ndarray:
    """How many of the numbers lie in each of `count` equal parts of a range."""
    places = np.floor((np.asarray(values, np.float64).ravel() - low) / (high - low) * count).astype(np.int64)
    return np.bincount(places[(places >= 0) & (places < count)], minlength=count)


def with_histogram(picture: np.ndarray) -> np.ndarray:
    """The picture above the histogram of its levels."""
    shown = bars(histogram(picture, 0, 256, 56), 32, 2)
    return in_column([coloured(picture), shown], 2)


def labels_in_colours(labels: np.ndarray) -> np.ndarray:
    return np.asarray(LABEL_COLOURS, np.uint8)[labels]
