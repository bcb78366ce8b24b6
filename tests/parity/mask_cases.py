"""Polygons for `record_masks.py`, by pycocotools, and `test_masks.py`, by readers.coco."""

from __future__ import annotations

import numpy as np

Polygon = list[float]


def cases() -> list[tuple[int, int, list[Polygon]]]:
    """Heights, widths and polygons: small, thin, ragged, beyond the edges, crossing themselves, closed twice."""
    random = np.random.default_rng(23)
    made: list[tuple[int, int, list[Polygon]]] = [
        (10, 12, [[2, 3, 9, 3, 9, 8, 2, 8]]),
        (10, 12, [[2, 3, 9, 3, 9, 8, 2, 8, 2, 3]]),
        (10, 12, [[0, 0, 12, 0, 12, 10, 0, 10]]),
        (10, 12, [[2.5, 2.5, 2.5, 2.5, 7.5, 7.5, 2.5, 7.5]]),
        (10, 12, [[1, 1, 11, 9, 11, 1, 1, 9]]),
        (10, 12, [[3, 3, 3, 3, 3, 3]]),
        (1, 1, [[0, 0, 1, 0, 1, 1, 0, 1]]),
        (7, 1, [[0, 1, 1, 1, 1, 5, 0, 5]]),
        (10, 12, [[1, 1, 5, 1, 5, 5], [3, 3, 9, 3, 9, 9, 3, 9], [0, 8, 12, 8.5, 6, 10]]),
    ]
    for number in range(120):
        height, width = (int(extent) for extent in random.integers(3, 60, 2))
        polygons = []
        for _ in range(int(random.integers(1, 4))):
            count = int(random.integers(3, 14))
            spread = random.choice([1.0, 1.2, 1.6])
            points = random.uniform((1 - spread) / 2, (1 + spread) / 2, (count, 2)) * [width, height]
            if number % 3 == 0:  # about a centre, so that edges do not cross
                angles = np.sort(random.uniform(0, 2 * np.pi, count))
                radius = random.uniform(0.1, 0.5, count)
                points = (0.5 + radius[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)) * [width, height]
            if number % 5 == 0:
                points = np.round(points)
            elif number % 5 == 1:
                points = np.round(points * 2) / 2
            polygons.append([float(x) for x in np.float32(points).ravel()])
        made.append((height, width, polygons))
    return made
