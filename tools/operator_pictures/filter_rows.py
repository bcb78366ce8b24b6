"""How filters, noise and distortions are shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from operator_pictures import scenes, tiles
from operator_pictures.row import Arguments, Inputs, Row, Tile

import forebay.dynamic as ndd

SHARPENING = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], np.float32)
EMBOSSING = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]], np.float32)
TRAIL = np.full((1, 13), 1 / 13, np.float32)


def speckled_lake() -> np.ndarray:
    noisy = ndd.noise.salt_and_pepper(scenes.lake(), prob=0.1, rng=ndd.random.RNG(seed=5))
    return np.asarray(noisy)


def about_grey(results: list[Any], arguments: Arguments) -> np.ndarray:
    """Numbers about 0 as levels about the middle grey."""
    del arguments
    return tiles.levels(results[0], -200, 200)


def mosaic() -> np.ndarray:
    """What a sensor with a Bayer pattern sees of the lake: red, green; green, blue."""
    lake = scenes.lake()
    seen = lake[..., 1].copy()
    seen[0::2, 0::2] = lake[0::2, 0::2, 0]
    seen[1::2, 1::2] = lake[1::2, 1::2, 2]
    return seen[..., None]


def part_enlarged(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return tiles.enlarged(tiles.coloured(results[0])[scenes.NEAR_BOAT], 3)


def magnifying_maps() -> Inputs:
    """Twice as large in the middle of a glass, and as it is beyond its rim."""
    y, x = np.mgrid[: scenes.HEIGHT, : scenes.WIDTH] + 0.5
    across, down = x - 96, y - 55
    part = np.clip((across**2 + down**2) / 30**2, 0, 1)
    scale = 0.5 + 0.5 * part
    return (96 + across * scale).astype(np.float32), (55 + down * scale).astype(np.float32)


def folding_maps() -> Inputs:
    """The left half and its mirror image."""
    y, x = np.mgrid[: scenes.HEIGHT, : scenes.WIDTH] + 0.5
    return np.minimum(x, scenes.WIDTH - x).astype(np.float32), y.astype(np.float32)


ROWS = {
    "debayer": Row(
        [dict(blue_position=[0, 0]), dict(blue_position=[0, 0], algorithm="edgeaware_ocv")],
        lambda: (mosaic(),),
        lambda: part_enlarged([mosaic()], {}),
        "a part of the mosaic, enlarged",
        part_enlarged,
    ),
    "erase": Row(
        [
            dict(anchor=[30, 45], shape=[30, 25]),
            dict(anchor=[0.1, 0.1, 0.5, 0.6], shape=[0.3, 0.2, 0.4, 0.3], normalized=True, fill_value=[255, 190, 60]),
        ]
    ),
    "experimental.dilate": Row([dict(mask_size=[3, 3]), dict(mask_size=[7, 7])]),
    "experimental.erode": Row([dict(mask_size=[3, 3]), dict(mask_size=[7, 7])]),
    "experimental.median_blur": Row(
        [dict(window_size=[3, 3]), dict(window_size=[7, 7])],
        lambda: (speckled_lake(),),
        speckled_lake,
        "a picture with spots",
    ),
    "experimental.remap": Row(
        [
            Tile({}, "maps of a magnifying glass", magnifying_maps()),
            Tile({}, "maps that fold the picture in the middle", folding_maps()),
        ]
    ),
    "filter": Row(
        [
            Tile({}, f"`filter={SHARPENING.astype(int).tolist()}`", (SHARPENING,)),
            Tile({}, f"`filter={EMBOSSING.astype(int).tolist()}`", (EMBOSSING,)),
            Tile({}, "a row of thirteen times 1/13", (TRAIL,)),
        ]
    ),
    "gaussian_blur": Row([dict(sigma=1), dict(sigma=4), dict(sigma=[5, 0.2])]),
    "grid_mask": Row([dict(tile=24, ratio=0.5), dict(tile=30, ratio=0.4, angle=0.6)]),
    "jitter": Row([dict(nDegree=3), dict(nDegree=9)]),
    "laplacian": Row(
        [
            dict(window_size=3),
            dict(window_size=5, scale=1 / 16),
        ],
        show=about_grey,
        note="Grey is 0.",
    ),
    "noise.gaussian": Row([dict(stddev=15), dict(stddev=50)]),
    "noise.salt_and_pepper": Row([dict(prob=0.05), dict(prob=0.3), dict(prob=0.1, per_channel=True)]),
    "noise.shot": Row([dict(factor=5), dict(factor=40)]),
    "sphere": Row([{}]),
    "water": Row([dict(ampl_x=4, ampl_y=4, freq_x=0.15, freq_y=0.15), dict(ampl_x=10, ampl_y=0, freq_x=0.1)]),
}
