"""Makes a small data set as COCO describes one: pictures of shapes on a textured ground, with boxes and polygons.

    python examples/make_shapes.py FOLDER [COUNT]

FOLDER gets the pictures, in several formats, and annotations.json. The same pictures every time.
"""

import json
import pathlib
import sys

import numpy as np
from make_photos import noise
from PIL import Image, ImageDraw
from progress import Progress

SHAPES = ("disc", "square", "triangle")
SIDES = (112, 160)  # pixels, least and most
FORMATS = (("jpg", {"quality": 92}), ("bmp", {}), ("tif", {"compression": "tiff_lzw"}), ("png", {}))
CORNERS = {"disc": 24, "square": 4, "triangle": 3}


def outline(shape, rng, width, height):
    """The corners of a shape that is turned and placed at random."""
    radius = rng.uniform(0.12, 0.26) * min(width, height)
    center = rng.uniform([radius, radius], [width - radius, height - radius])
    turn = rng.uniform(-0.35, 0.35) + np.pi / (4 if shape == "square" else -2)
    angles = turn + 2 * np.pi * np.arange(CORNERS[shape]) / CORNERS[shape]
    return center + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def bounds(corners):
    """Left, top, right, bottom."""
    return *corners.min(axis=0), *corners.max(axis=0)


def overlap(a, b):
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def scene(rng, sides):
    """A picture, and (shape, corners) of what is on it."""
    width, height = (int(side) // 4 * 4 for side in rng.integers(*sides, size=2))
    ground = rng.uniform(60, 190, 3) + 22 * noise(rng, height, width, 1.2)[..., None]
    picture = Image.fromarray(ground.clip(0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(picture)
    placed = []
    for _ in range(rng.integers(1, 5)):
        shape = SHAPES[rng.integers(len(SHAPES))]
        corners = outline(shape, rng, width, height)
        if any(overlap(bounds(corners), bounds(other)) for _, other in placed):
            continue
        away = 90 * rng.choice([-1, 1], 3)
        color = tuple(int(value) for value in (ground.mean(axis=(0, 1)) + away).clip(0, 255))
        pen.polygon([(float(x), float(y)) for x, y in corners], fill=color)
        placed.append((shape, corners))
    return picture, placed


def make_shapes(folder, count, first=0, sides=SIDES, formats=FORMATS):
    """Writes `count` pictures and their annotations; `first` numbers the first, `sides` are from the least to the most."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    images, objects = [], []
    for number in Progress(range(first, first + count), "making pictures"):
        picture, placed = scene(np.random.default_rng([7, number]), sides)
        suffix, options = formats[number % len(formats)]
        name = f"{number:05}.{suffix}"
        picture.save(folder / name, **options)
        images.append({"id": number, "file_name": name, "width": picture.width, "height": picture.height})
        for shape, corners in placed:
            left, top, right, bottom = bounds(corners)
            objects.append({"id": len(objects), "image_id": number, "category_id": SHAPES.index(shape) + 1, "iscrowd": 0,
                            "bbox": [left, top, right - left, bottom - top], "segmentation": [corners.ravel().tolist()]})
    categories = [{"id": place + 1, "name": shape} for place, shape in enumerate(SHAPES)]
    (folder / "annotations.json").write_text(
        json.dumps({"images": images, "annotations": objects, "categories": categories}))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    make_shapes(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 256)
