"""How operators that cut, resize, turn and bend pictures are shown."""

from __future__ import annotations

from typing import Any

import numpy as np
from operator_pictures import scenes, tiles
from operator_pictures.row import Arguments, Inputs, Row, Tile


def boat() -> np.ndarray:
    return scenes.lake()[scenes.NEAR_BOAT]


def lake_as_file() -> Inputs:
    return (scenes.bytes_of_lake(),)


def decoded(calls: list[Any]) -> Row:
    return Row(calls, lake_as_file, input_said="the picture in the file")


def small_lake() -> np.ndarray:
    return scenes.halved(scenes.lake())


def small_cat() -> np.ndarray:
    return scenes.halved(scenes.cat())


def lake_and_cat() -> np.ndarray:
    return tiles.in_row([small_lake(), small_cat()])


def first_sample(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return results[0][0]


ROWS = {
    "cat": Row(
        [dict(axis=0), dict(axis=1)],
        lambda: (small_lake(), small_cat()),
        lake_and_cat,
        "two inputs",
    ),
    "crop": Row(
        [
            dict(crop=[60, 60]),
            dict(crop=[60, 60], crop_pos_x=0, crop_pos_y=0),
            dict(crop=[60, 60], crop_pos_x=1, crop_pos_y=1),
        ]
    ),
    "decoders.image": decoded(
        [dict(output_type="gray"), Tile(dict(output_type="bgr"), '`output_type="bgr"`, looked at as red, green, blue')]
    ),
    "decoders.image_crop": decoded([dict(crop=[60, 60]), dict(crop=[60, 60], crop_pos_x=1, crop_pos_y=0.8)]),
    "decoders.image_random_crop": decoded([dict(random_area=[0.2, 0.6])] * 3),
    "decoders.image_slice": decoded([dict(rel_start=[0.6, 0.3], rel_end=[1.0, 0.9])]),
    "experimental.resize": Row(
        [Tile(dict(size=[90, 120], interp_type=kind), f'`interp_type="{kind}"`') for kind in ("nn", "linear", "cubic")],
        lambda: (boat(),),
        boat,
        note="All are made with `size=[90, 120]`.",
    ),
    "experimental.warp_perspective": Row(
        [
            dict(matrix=[1.0, 0.6, -24.0, 0.0, 1.5, -10.0, 0.0, 0.01, 0.6], fill_value=200),
            dict(matrix=[1.9, 0.4, -60.0, 0.0, 1.9, -40.0, 0.0, 0.004, 0.9], border_mode="reflect"),
        ]
    ),
    "fast_resize_crop_mirror": Row([dict(resize_y=60, crop=[60, 60]), dict(resize_y=60, crop=[60, 60], mirror=1)]),
    "flip": Row([dict(horizontal=1), dict(horizontal=0, vertical=1)]),
    "multi_paste": Row(
        [
            Tile(
                dict(in_ids=[0, 1, 0, 1], output_size=[90, 120], in_anchors=[[0, 0], [34, 25], [34, 60], [10, 60]],
                     shapes=[[45, 60]] * 4, out_anchors=[[0, 0], [0, 60], [45, 0], [45, 60]]),
                "`in_ids=[0, 1, 0, 1]` with a region of each"
            )
        ],
        lambda: ([scenes.lake(), scenes.cat()],),
        lambda: tiles.in_row([scenes.lake(), scenes.cat()]),
        "the two images of a batch",
        first_sample,
    ),
    "pad": Row([dict(axes=[0, 1], shape=[110, 150], fill_value=200), dict(axes=[0, 1], align=64, fill_value=80)]),
    "paste": Row(
        [
            dict(ratio=1.8, fill_value=[255, 206, 120]),
            dict(ratio=1.8, fill_value=[72, 132, 190], paste_x=1, paste_y=0.2),
        ],
        lambda: (small_lake(),),
        small_lake,
    ),
    "random_resized_crop": Row([dict(size=[72, 96])] * 3),
    "resize": Row([dict(resize_x=60), dict(size=[70, 70]), dict(size=[70, 70], mode="not_larger")]),
    "resize_crop_mirror": Row([dict(resize_y=60, crop=[60, 60]), dict(resize_y=60, crop=[60, 60], mirror=1)]),
    "rotate": Row([dict(angle=30), dict(angle=30, keep_size=True), dict(angle=90)]),
    "slice": Row(
        [
            dict(rel_start=[0.4, 0.3], rel_end=[1.0, 0.9]),
            dict(start=[-20, 30], shape=[100, 50], out_of_bounds_policy="pad", fill_values=200),
        ]
    ),
    "tensor_resize": Row([dict(sizes=[45, 120, 3]), dict(scales=[1.0, 0.5, 1.0])]),
    "transpose": Row([dict(perm=[1, 0, 2])]),
    "warp_affine": Row(
        [dict(matrix=[1.0, 0.5, -22.0, 0.0, 1.0, 0.0]), dict(matrix=[0.9, -0.5, 26.0, 0.5, 0.9, -24.0], fill_value=200)]
    ),
}
