"""Drawing in plain arithmetic: shapes of a colour on a canvas with a grid of points in each pixel, which is averaged
at the end. Every machine makes the same bytes of it, whatever its libraries.
"""

from __future__ import annotations

import numpy as np

POINTS = 4  # of a pixel, along each axis
Colour = tuple[int, int, int] | np.ndarray
Mask = np.ndarray


class Canvas:
    """Pixels and the labels of what is drawn; coordinates are pixels from the upper left corner."""

    def __init__(self, height: int, width: int) -> None:
        self.y, self.x = np.mgrid[: height * POINTS, : width * POINTS] / POINTS + 0.5 / POINTS
        self.colours = np.zeros((*self.x.shape, 3), np.int32)
        self.labels = np.zeros(self.x.shape, np.uint8)

    def draw(self, mask: Mask, colour: Colour, label: int | None = None) -> None:
        """Fills `mask` with a colour, or with the colours of a whole canvas."""
        colours = np.broadcast_to(np.asarray(colour, np.int32), self.colours.shape)
        self.colours[mask] = colours[mask]
        if label is not None:
            self.labels[mask] = label

    def circle(self, x: float, y: float, radius: float) -> Mask:
        return self.ellipse(x, y, radius, radius)

    def ellipse(self, x: float, y: float, across: float, down: float) -> Mask:
        return ((self.x - x) / across) ** 2 + ((self.y - y) / down) ** 2 < 1

    def box(self, left: float, top: float, right: float, bottom: float) -> Mask:
        return (self.x > left) & (self.x < right) & (self.y > top) & (self.y < bottom)

    def polygon(self, *corners: tuple[float, float]) -> Mask:
        """The points that an odd number of edges lies to the right of."""
        inside = np.zeros(self.x.shape, bool)
        for (x, y), (to_x, to_y) in zip(corners, corners[1:] + corners[:1]):
            if y != to_y:
                edge = x + (self.y - y) * (to_x - x) / (to_y - y)
                inside ^= ((self.y < y) != (self.y < to_y)) & (self.x < edge)
        return inside

    def line(self, x: float, y: float, to_x: float, to_y: float, width: float) -> Mask:
        """The points at most half of `width` away from a line."""
        along_x, along_y = to_x - x, to_y - y
        part = ((self.x - x) * along_x + (self.y - y) * along_y) / (along_x**2 + along_y**2)
        part = np.clip(part, 0, 1)
        return (self.x - x - part * along_x) ** 2 + (self.y - y - part * along_y) ** 2 < (width / 2) ** 2

    def blend(self, part: np.ndarray, first: Colour, last: Colour) -> np.ndarray:
        """Colours between two: the first where `part` is 0 or less, the last where it is 1 or more."""
        part = np.clip(part, 0, 1)[..., None]
        return np.floor(np.asarray(first) * (1 - part) + np.asarray(last) * part + 0.5).astype(np.int32)

    def pixels(self) -> np.ndarray:
        """The picture, height x width x 3, of bytes."""
        height, width = (extent // POINTS for extent in self.x.shape)
        points = self.colours.reshape(height, POINTS, width, POINTS, 3)
        return ((points.sum((1, 3)) + POINTS**2 // 2) // POINTS**2).astype(np.uint8)

    def pixel_labels(self) -> np.ndarray:
        """The label at the middle of each pixel."""
        return self.labels[POINTS // 2 :: POINTS, POINTS // 2 :: POINTS].copy()
