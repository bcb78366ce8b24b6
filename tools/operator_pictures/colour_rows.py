"""How operators that change colours are shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from operator_pictures import scenes, tiles
from operator_pictures.row import Arguments, Row, Tile

LEVELS = list(range(256))


def faint_lake() -> np.ndarray:
    """The lake in a mist: levels from 90 to 174."""
    return scenes.lake() // 3 + np.uint8(90)


def faint(calls: list[Any], **rest: Any) -> Row:
    return Row(calls, lambda: (faint_lake(),), faint_lake, **rest)


def above_histogram(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return tiles.with_histogram(results[0])


def planes_beside(results: list[Any], arguments: Arguments) -> np.ndarray:
    """Each channel in grey, at half the size, below each other."""
    del arguments
    if results[0].shape[2] == 1:
        return tiles.coloured(results[0])
    return tiles.in_column([tiles.coloured(results[0][::2, ::2, channel]) for channel in range(3)], 2)


def looked_up(said: str, values: list[int]) -> Tile:
    return Tile(dict(keys=LEVELS, values=values, dtype="uint8"), f"the table of `{said}`")


def adjusted(said: str, operations: list[int], amounts: list[float]) -> Tile:
    arguments = {"operations": operations, "amounts": amounts}
    return Tile(arguments, f"{said}: `{operations=}, {amounts=}`")


ROWS = {
    "brightness": Row([dict(brightness=0.6), dict(brightness=1.4), dict(brightness_shift=0.25)]),
    "brightness_contrast": Row([dict(brightness=1.3, contrast=0.5), dict(brightness=0.9, contrast=1.8)]),
    "clahe": Row(
        [dict(tiles_x=4, tiles_y=4, clip_limit=2), dict(tiles_x=4, tiles_y=4, clip_limit=8)],
        lambda: (faint_lake(),),
        lambda: tiles.with_histogram(faint_lake()),
        "a faint picture and its levels",
        above_histogram,
    ),
    "color_space_conversion": Row(
        [
            dict(image_type="rgb", output_type="gray"),
            Tile(dict(image_type="rgb", output_type="ycbcr"), '`output_type="ycbcr"`, its three channels'),
        ],
        show=planes_beside,
    ),
    "color_twist": Row(
        [dict(hue=60, saturation=1.5), dict(saturation=0.3, contrast=1.4), dict(hue=200, brightness=1.2)]
    ),
    "contrast": Row([dict(contrast=0.4), dict(contrast=1.8), dict(contrast=0.4, contrast_center=255)]),
    "crop_mirror_normalize": Row(
        [
            dict(
                crop=[70, 80], mirror=1, mean=[110.0, 120.0, 130.0], std=[0.8], shift=128, dtype="uint8",
                output_layout="HWC",
            ),
        ]
    ),
    "equalize": Row(
        [{}],
        lambda: (faint_lake(),),
        lambda: tiles.with_histogram(faint_lake()),
        "a faint picture and its levels",
        above_histogram,
    ),
    "experimental.augment": Row(
        [
            adjusted("posterize", [6], [2]),
            adjusted("solarize", [7], [128]),
            adjusted("sharpness, then rotate", [5, 17], [3, 20]),
        ]
    ),
    "hsv": Row([dict(hue=120), dict(saturation=0.3), dict(value=1.4)]),
    "hue": Row([dict(hue=60), dict(hue=120), dict(hue=240)]),
    "jpeg_compression_distortion": Row([dict(quality=30), dict(quality=8)]),
    "lookup_table": Row(
        [
            looked_up("255 - level", [255 - level for level in LEVELS]),
            looked_up("level // 64 * 85", [level // 64 * 85 for level in LEVELS]),
        ]
    ),
    "normalize": faint(
        [dict(scale=64, shift=128, dtype="uint8"), dict(axes=[0, 1], scale=64, shift=128, dtype="uint8")],
        input_said="a faint picture",
    ),
    "saturation": Row([dict(saturation=0), dict(saturation=0.5), dict(saturation=2)]),
}
