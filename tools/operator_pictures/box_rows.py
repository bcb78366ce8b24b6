"""How operators on boxes, windows and points are shown: drawn on the picture that they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np
from operator_pictures import scenes, tiles
from operator_pictures.row import Arguments, Inputs, Row, Tile

import forebay.dynamic as ndd

LABELS = np.array([1, 2, 3], np.int32)
# A grid of default boxes of two sizes, as a detector has them.
ANCHORS = np.array(
    [
        (x - across / 2, y - down / 2, x + across / 2, y + down / 2)
        for across, down in ((0.22, 0.3), (0.25, 0.6))
        for y in (0.32, 0.52, 0.68)
        for x in (0.15, 0.31, 0.48, 0.64, 0.81)
    ],
    np.float32,
)
ROOF_AND_TREE = np.array([(18, 14), (4, 67), (32, 67), (80, 53), (96, 35), (113, 53)], np.float32)
PARTS_OF_PICTURE = np.array([scenes.WIDTH, scenes.HEIGHT], np.float32)


def on_picture(picture: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    return tiles.with_boxes(picture, tiles.in_pixels(boxes, picture))


def lake_with_boxes() -> np.ndarray:
    return on_picture(scenes.lake(), scenes.BOXES)


def boxes_alone() -> Inputs:
    return (scenes.BOXES,)


def boxes_and_labels() -> Inputs:
    return scenes.BOXES, LABELS


def on_flipped(results: list[Any], arguments: Arguments) -> np.ndarray:
    across, down = arguments.get("horizontal", 1), arguments.get("vertical", 0)
    return on_picture(np.asarray(ndd.flip(scenes.lake(), horizontal=across, vertical=down)), results[0])


def on_pasted(results: list[Any], arguments: Arguments) -> np.ndarray:
    places = {name: arguments[name] for name in ("ratio", "paste_x", "paste_y") if name in arguments}
    return on_picture(np.asarray(ndd.paste(scenes.lake(), fill_value=210, **places)), results[0])


def on_rotated(results: list[Any], arguments: Arguments) -> np.ndarray:
    picture = ndd.rotate(scenes.lake(), angle=arguments["angle"], keep_size=True, fill_value=210)
    return on_picture(np.asarray(picture), results[0])


def rotated(mode: str) -> Tile:
    arguments = dict(angle=20, input_shape=[scenes.HEIGHT, scenes.WIDTH], keep_size=True, mode=mode)
    return Tile(arguments, f'`angle=20, mode="{mode}"`')


def anchors_on_lake() -> np.ndarray:
    thin = tiles.with_boxes(scenes.lake(), tiles.in_pixels(ANCHORS, scenes.lake()), ((225, 225, 225),), 1)
    return on_picture(thin, scenes.BOXES)


def matched_anchors(results: list[Any], arguments: Arguments) -> np.ndarray:
    """The boxes, and thin the anchors that got a label, each in the colour of the box that it is matched with."""
    del arguments
    picture = lake_with_boxes()
    for label, colour in zip(LABELS, tiles.COLOURS):
        mine = ANCHORS[results[1] == label]
        picture = tiles.with_boxes(picture, tiles.in_pixels(mine, picture), (colour,), 1)
    return picture


def window_and_boxes(results: list[Any], arguments: Arguments) -> np.ndarray:
    """The window that was drawn, cut out, with the boxes that stay in the colours they had."""
    del arguments
    (x, y), (across, down) = results[0] * PARTS_OF_PICTURE, results[1] * PARTS_OF_PICTURE
    left, top, right, bottom = (int(np.rint(edge)) for edge in (x, y, x + across, y + down))
    return coloured_by_label(scenes.lake()[top:bottom, left:right], results[2], results[3])


def coloured_by_label(picture: np.ndarray, boxes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    colours = [tiles.COLOURS[int(label) - 1] for label in labels]
    return tiles.with_boxes(picture, tiles.in_pixels(boxes, picture), colours)


def cut_picture_and_boxes(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return coloured_by_label(*results)


def drawn_window(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    (top, left), (down, across) = results
    return tiles.with_boxes(scenes.lake(), [(left, top, left + across, top + down)], tiles.COLOURS[1:])


WINDOW = {
    "scaling": [0.5, 0.8],
    "aspect_ratio": [0.6, 1.6],
    "thresholds": [0.1],
    "all_boxes_above_threshold": False,
    "allow_no_crop": False,
}
REGION = (49, 39, 66, 63)  # the boat


def window_around_region(results: list[Any], arguments: Arguments) -> np.ndarray:
    top, left = results[0]
    down, across = arguments["crop_shape"]
    return tiles.with_boxes(scenes.lake(), [REGION, (left, top, left + across, top + down)])


def lake_with_points(points: np.ndarray) -> np.ndarray:
    return tiles.with_points(scenes.lake(), points)


def points_in_parts(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return lake_with_points(results[0] * PARTS_OF_PICTURE)


def points_in_pixels(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return lake_with_points(results[0])


WITH_BOXES: dict[str, Any] = dict(before=lake_with_boxes, input_said="a picture and its boxes")
ROWS = {
    "bb_flip": Row(
        [dict(ltrb=True), dict(ltrb=True, horizontal=0, vertical=1)],
        boxes_alone,
        show=on_flipped,
        note="The picture is flipped by `fn.flip`.",
        **WITH_BOXES,
    ),
    "bbox_paste": Row(
        [dict(ltrb=True, ratio=1.3), dict(ltrb=True, ratio=1.3, paste_x=1, paste_y=0)],
        boxes_alone,
        show=on_pasted,
        note="The picture is pasted by `fn.paste`.",
        **WITH_BOXES,
    ),
    "bbox_rotate": Row(
        [rotated("expand"), rotated("halfway"), rotated("fixed")],
        boxes_and_labels,
        show=on_rotated,
        note="The picture is turned by `fn.rotate`.",
        **WITH_BOXES,
    ),
    "box_encoder": Row(
        [Tile(dict(anchors=ANCHORS.ravel().tolist(), criteria=criteria), f"`{criteria=}`") for criteria in (0.5, 0.3)],
        boxes_and_labels,
        anchors_on_lake,
        "boxes, and the anchors thin in grey",
        matched_anchors,
        note="Anchors that are matched have their box's colour.",
    ),
    "coord_flip": Row(
        [Tile({}, "`flip_x=1`"), dict(flip_x=0, flip_y=1)],
        lambda: (ROOF_AND_TREE / PARTS_OF_PICTURE,),
        lambda: lake_with_points(ROOF_AND_TREE),
        "points",
        points_in_parts,
    ),
    "coord_transform": Row(
        [dict(M=0.5, T=[30.0, 22.0]), dict(M=[0.8, -0.4, 0.3, 0.8], T=[30.0, -10.0])],
        lambda: (ROOF_AND_TREE,),
        lambda: lake_with_points(ROOF_AND_TREE),
        "points",
        points_in_pixels,
    ),
    "random_bbox_crop": Row(
        [WINDOW] * 3,
        boxes_and_labels,
        show=window_and_boxes,
        note="The windows are cut out by `fn.slice`.",
        **WITH_BOXES,
    ),
    "random_crop_generator": Row(
        [dict(random_area=[0.1, 0.5])] * 3,
        lambda: (np.array(scenes.lake().shape, np.int64),),
        None,
        show=drawn_window,
    ),
    "roi_random_crop": Row(
        [Tile(dict(crop_shape=[50, 60], roi_start=[39, 49], roi_end=[63, 66]), "`crop_shape=[50, 60]`")] * 3,
        before=lambda: tiles.with_boxes(scenes.lake(), [REGION]),
        input_said="the region of interest",
        show=window_around_region,
    ),
    "ssd_random_crop": Row(
        [dict(num_attempts=20)] * 3,
        lambda: (scenes.lake(), scenes.BOXES, LABELS),
        show=cut_picture_and_boxes,
        seeds=(8, 16, 19),
        **WITH_BOXES,
    ),
}
