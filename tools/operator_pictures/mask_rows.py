"""How operators on masks and polygons are shown, and matrices: by the picture that they bend."""

from __future__ import annotations

from typing import Any

import numpy as np
from operator_pictures import scenes, tiles
from operator_pictures.canvas import POINTS, Canvas
from operator_pictures.row import Arguments, Row, Tile

import forebay.dynamic as ndd

# Mask, first vertex, one past its last: the tree of two polygons, the boat, the house.
POLYGONS = np.array([(0, 0, 3), (0, 3, 7), (1, 7, 12), (2, 12, 19)], np.int32)
VERTICES = np.array(
    [(18, 14), (32, 67), (4, 67), (16, 67), (20, 67), (20, 75), (16, 75), (57, 38), (66, 57), (63, 63), (52, 63),
     (49, 57), (96, 35), (113, 53), (109, 53), (109, 75), (84, 75), (84, 53), (80, 53)],
    np.float32,
)
MOVE = np.array([[1, 0, 50], [0, 1, 0]], np.float32)
TURN = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0]], np.float32)


def labels_shown() -> np.ndarray:
    return tiles.labels_in_colours(scenes.labels())


def drawn_pixels(results: list[Any], arguments: Arguments) -> np.ndarray:
    """The places that were drawn for the samples of a batch, as points."""
    del arguments
    return tiles.with_points(labels_shown(), [(x + 0.5, y + 0.5) for y, x in results[0]], (255, 255, 255), 1)


def drawn_object(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    (top, left), (bottom, right) = results
    return tiles.with_boxes(labels_shown(), [(left, top, right, bottom)])


def polygons_on_lake(results: list[Any], arguments: Arguments) -> np.ndarray:
    """The polygons, filled with the colour of their mask, and dark what lies outside."""
    del arguments
    polygons, vertices = results
    canvas = Canvas(scenes.HEIGHT, scenes.WIDTH)
    canvas.colours[:] = tiles.enlarged(scenes.lake() // 3, POINTS)
    for mask, first, last in polygons:
        canvas.draw(canvas.polygon(*map(tuple, vertices[first:last].tolist())), tiles.COLOURS[mask + 1])
    return canvas.pixels()


def warped(results: list[Any], arguments: Arguments) -> np.ndarray:
    """The lake, bent by the matrix, which takes its places to those of the output."""
    del arguments
    matrix = results[0].astype(np.float32).ravel().tolist()
    return np.asarray(ndd.warp_affine(scenes.lake(), matrix=matrix, inverse_map=False, fill_value=210))


def bent(*calls: Tile | Arguments) -> Row:
    return Row(calls, tuple, show=warped, note="The picture is bent by `fn.warp_affine`.")


MANY = 60
ON_TREE = {"foreground": 1, "value": scenes.TREE}
OBJECTS = [scenes.TREE, scenes.BOAT, scenes.HOUSE]
ROWS = {
    "segmentation.random_mask_pixel": Row(
        [
            Tile(dict(batch_size=MANY), f"{MANY} draws"),
            Tile(dict(batch_size=MANY, **ON_TREE), f"as many with `foreground=1, value={scenes.TREE}`"),
        ],
        lambda: (scenes.labels().astype(np.int32),),
        labels_shown,
        "a mask",
        drawn_pixels,
    ),
    "segmentation.random_object_bbox": Row(
        [dict(classes=OBJECTS, threshold=[8, 8], format="start_end")] * 3,
        lambda: (scenes.labels().astype(np.int32),),
        labels_shown,
        "a mask",
        drawn_object,
        (1, 2, 5),
    ),
    "segmentation.select_masks": Row(
        [
            Tile({}, "`mask_ids` 2", (np.array([2], np.int32), POLYGONS, VERTICES)),
            Tile({}, "`mask_ids` 0 and 1", (np.array([0, 1], np.int32), POLYGONS, VERTICES)),
        ],
        tuple,
        lambda: polygons_on_lake([POLYGONS, VERTICES], {}),
        "polygons of three masks",
        polygons_on_lake,
    ),
    "transforms.combine": bent(
        Tile({}, "a move to the right, then a turn", (MOVE, TURN)),
        Tile(dict(reverse_order=True), "`reverse_order=True`: the turn, then the move", (MOVE, TURN)),
    ),
    "transforms.crop": bent(
        dict(from_start=[30.0, 20.0], from_end=[120.0, 80.0], to_start=[0.0, 0.0], to_end=[60.0, 90.0])
    ),
    "transforms.rotation": bent(dict(angle=30), dict(angle=30, center=[60, 45])),
    "transforms.scale": bent(dict(scale=[0.6, 0.6]), dict(scale=[1.6, 0.7], center=[60, 45])),
    "transforms.shear": bent(dict(shear=[0.4, 0.0]), dict(angles=[0.0, 20.0], center=[60, 45])),
    "transforms.translation": bent(dict(offset=[30.0, 15.0])),
}
