"""The pictures that operators are shown on: a lake in the evening, the same at four hours of a day, and a cat."""

from __future__ import annotations

import functools
import io

import numpy as np
from operator_pictures.canvas import Canvas
from PIL import Image

HEIGHT, WIDTH = 90, 120
SKY, MOUNTAIN, WATER, MEADOW, TREE, BOAT, HOUSE = range(7)
NEAR_BOAT = (slice(36, 66), slice(38, 78))  # for what is shown enlarged
# Left, top, right, bottom, as parts of the picture: the tree, the boat, the house.
BOXES = np.array([(4, 14, 32, 75), (49, 39, 66, 63), (80, 35, 113, 75)], np.float32)
BOXES /= np.array([WIDTH, HEIGHT, WIDTH, HEIGHT], np.float32)


def draw_sky(canvas: Canvas, sun: tuple[float, float]) -> None:
    canvas.draw(canvas.y < 52, canvas.blend(canvas.y / 52, (58, 104, 178), (255, 206, 158)), SKY)
    canvas.draw(canvas.circle(*sun, 9.5), (255, 226, 150))
    canvas.draw(canvas.circle(*sun, 7.5), (255, 244, 205))
    for x, y, across in ((82, 14, 13), (92, 11, 9), (74, 15.5, 8), (21, 8.5, 8), (28, 7, 6)):
        canvas.draw(canvas.ellipse(x, y, across, across / 4), (250, 236, 226))


def draw_mountains(canvas: Canvas) -> None:
    far = canvas.polygon((0, 52), (0, 40), (12, 33), (24, 41), (38, 30), (50, 39), (70, 22), (86, 37), (98, 29),
                         (120, 42), (120, 52))
    canvas.draw(far, canvas.blend((canvas.y - 22) / 30, (112, 112, 168), (186, 150, 170)), MOUNTAIN)
    lit = canvas.polygon((70, 22), (86, 37), (79, 52), (73, 42), (76, 34))
    canvas.draw(lit & far, (96, 92, 146))
    canvas.draw(canvas.polygon((70, 22), (76, 27.6), (72.5, 29), (70, 33), (67.5, 28.5), (63, 28)), (246, 244, 250))
    canvas.draw(canvas.polygon((98, 29), (103.4, 32.2), (99, 33.5), (96.5, 36), (95, 33), (93, 32.6)), (240, 238, 248))
    near = canvas.polygon((0, 54), (0, 47), (16, 43), (34, 49), (52, 46), (72, 50), (92, 46), (120, 49), (120, 54))
    canvas.draw(near, (72, 104, 112), MOUNTAIN)


def draw_lake(canvas: Canvas, sun: tuple[float, float]) -> None:
    canvas.draw(canvas.y > 52, canvas.blend((canvas.y - 52) / 26, (238, 182, 150), (52, 96, 150)), WATER)
    for row, (x, across) in enumerate(((0, 11), (1, 8), (-1, 9), (0.5, 6), (-0.5, 5))):
        canvas.draw(canvas.ellipse(sun[0] + x, 54.5 + 3.2 * row, across, 0.8), (255, 236, 190))
    for x, y, across in ((84, 56, 14), (60, 66, 10), (24, 62, 9), (70, 60, 7), (98, 60, 9)):
        canvas.draw(canvas.ellipse(x, y, across, 0.7), (206, 176, 172))


def draw_boat(canvas: Canvas) -> None:
    canvas.draw(canvas.box(57, 38, 58, 59), (92, 52, 44), BOAT)
    canvas.draw(canvas.polygon((58, 39), (66, 57), (58, 57)), (250, 248, 240), BOAT)
    canvas.draw(canvas.polygon((57, 42), (57, 57), (49, 57)), (224, 70, 60), BOAT)
    canvas.draw(canvas.polygon((49, 58.5), (66, 58.5), (63, 63), (52, 63)), (92, 52, 44), BOAT)


def draw_meadow(canvas: Canvas) -> None:
    hill = canvas.ellipse(104, 98, 62, 34) | canvas.ellipse(10, 104, 66, 36)
    canvas.draw(hill, canvas.blend((canvas.y - 64) / 26, (138, 176, 74), (60, 120, 62)), MEADOW)
    column, row = canvas.x.astype(np.int64) // 2, canvas.y.astype(np.int64) // 2
    drawn = ((column * 7919 + row * 104729) ^ (column * row * 31)) % 11
    canvas.draw(hill & (canvas.y > 70) & (drawn == 0), (96, 150, 60))
    canvas.draw(hill & (canvas.y > 70) & (drawn == 5), (50, 104, 56))
    for x, y, colour in ((40, 81, (248, 220, 80)), (47, 86, (240, 110, 130)), (35, 87, (250, 246, 240)),
                         (70, 82, (240, 110, 130)), (76, 87, (248, 220, 80)), (63, 86.5, (250, 246, 240)),
                         (112, 83, (248, 220, 80)), (100, 86, (240, 110, 130)), (6, 85, (240, 110, 130))):
        canvas.draw(canvas.circle(x, y, 1.7), colour)


def draw_tree(canvas: Canvas) -> None:
    canvas.draw(canvas.box(16, 62, 20, 75), (96, 64, 48), TREE)
    for top, bottom, half in ((14, 34, 8), (25, 50, 11), (38, 67, 14)):
        canvas.draw(canvas.polygon((18, top), (18 + half, bottom), (18 - half, bottom)), (36, 98, 78), TREE)
        canvas.draw(canvas.polygon((18, top), (18 + half, bottom), (20, bottom - 2)), (26, 74, 66))


def draw_house(canvas: Canvas) -> None:
    canvas.draw(canvas.box(101, 38, 106, 48), (134, 74, 62), HOUSE)
    canvas.draw(canvas.box(84, 51, 109, 75), (250, 232, 204), HOUSE)
    canvas.draw(canvas.polygon((96.5, 35), (113, 53), (80, 53)), (206, 68, 56), HOUSE)
    canvas.draw(canvas.polygon((96.5, 35), (113, 53), (102, 53)), (172, 50, 52))
    canvas.draw(canvas.box(97, 60, 104, 75), (112, 72, 58))
    canvas.draw(canvas.box(87, 58, 94, 66), (92, 60, 54))
    canvas.draw(canvas.box(87.75, 58.75, 93.25, 65.25), (255, 214, 96))
    canvas.draw(canvas.box(90.1, 58.5, 90.9, 65.5) | canvas.box(87.5, 61.6, 93.5, 62.4), (92, 60, 54))


def draw_lake_scene(sun: tuple[float, float]) -> Canvas:
    canvas = Canvas(HEIGHT, WIDTH)
    draw_sky(canvas, sun)
    draw_mountains(canvas)
    draw_lake(canvas, sun)
    draw_boat(canvas)
    draw_meadow(canvas)
    draw_tree(canvas)
    draw_house(canvas)
    return canvas


@functools.cache
def lake() -> np.ndarray:
    return draw_lake_scene((44, 22)).pixels()


@functools.cache
def labels() -> np.ndarray:
    """What each pixel of the lake belongs to."""
    return draw_lake_scene((44, 22)).pixel_labels()


@functools.cache
def cat() -> np.ndarray:
    canvas = Canvas(HEIGHT, WIDTH)
    canvas.draw(canvas.y > -1, canvas.blend((canvas.x + canvas.y) / 210, (94, 190, 190), (44, 104, 150)))
    for x in (-1, 1):
        side = 60 + 24 * x
        canvas.draw(canvas.polygon((side + 10 * x, 10), (side + 6 * x, 48), (side - 18 * x, 30)), (238, 150, 70))
        canvas.draw(canvas.polygon((side + 6 * x, 18), (side + 3 * x, 40), (side - 11 * x, 29)), (250, 196, 170))
    canvas.draw(canvas.ellipse(60, 54, 37, 31), (240, 156, 74))
    for x in (-9, 0, 9):
        canvas.draw(canvas.polygon((57.5 + x, 22), (62.5 + x, 22), (60 + x, 39)) & canvas.ellipse(60, 54, 37, 31),
                    (196, 104, 50))
    canvas.draw(canvas.ellipse(49.5, 67, 12.5, 10) | canvas.ellipse(70.5, 67, 12.5, 10), (252, 236, 214))
    for x in (43, 77):
        canvas.draw(canvas.ellipse(x, 50, 8, 8.5), (250, 250, 240))
        canvas.draw(canvas.ellipse(x, 50, 6.5, 7.5), (110, 180, 90))
        canvas.draw(canvas.ellipse(x, 50, 2.6, 7), (30, 34, 40))
        canvas.draw(canvas.circle(x + 2, 46.5, 1.7), (255, 255, 255))
    canvas.draw(canvas.polygon((55, 59), (65, 59), (60, 65)), (220, 104, 110))
    canvas.draw(canvas.line(60, 65, 60, 69, 1.2), (110, 66, 60))
    for x in (-1, 1):
        canvas.draw(canvas.line(60, 69, 60 + 4 * x, 71.4, 1.2), (110, 66, 60))
        canvas.draw(canvas.line(60 + 4 * x, 71.4, 60 + 8 * x, 70, 1.2), (110, 66, 60))
        for rise in (-4, 0, 4):
            canvas.draw(canvas.line(60 + 16 * x, 66 + rise / 2, 60 + 42 * x, 65 + 2 * rise, 0.8), (255, 250, 240))
    return canvas.pixels()


@functools.cache
def bytes_of_lake() -> np.ndarray:
    """The lake as a file: a PNG, so that it is decoded without loss."""
    file = io.BytesIO()
    Image.fromarray(lake()).save(file, "png")
    return np.frombuffer(file.getvalue(), np.uint8)


def halved(picture: np.ndarray) -> np.ndarray:
    """A picture at half the size."""
    parts = picture.reshape(picture.shape[0] // 2, 2, picture.shape[1] // 2, 2, 3)
    return (parts.sum((1, 3), np.int32) // 4).astype(np.uint8)


@functools.cache
def hours() -> np.ndarray:
    """Four frames of half the size: the sun rises, sets, and the light goes."""
    suns, lights = ((34, 40), (44, 22), (76, 17), (108, 38)), ((7, 8, 9), (8, 8, 8), (9, 8, 6), (4, 4, 6))
    halves = [halved(draw_lake_scene(sun).pixels()).astype(np.int32) for sun in suns]
    lit = [np.minimum(half * np.array(light) // 8, 255) for half, light in zip(halves, lights)]
    return np.stack(lit).astype(np.uint8)
