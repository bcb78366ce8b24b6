"""Pictures of four shapes in any colour, as JPEG files."""

import io

import numpy as np
from PIL import Image, ImageDraw

NAMES = ("disc", "square", "triangle", "ring")


def picture(name, rng):
    """An RGB picture of 90 x 120 pixels with one shape on a plain ground."""
    ground, ink = rng.integers(0, 256, (2, 3))
    while np.abs(ground - ink).sum() < 200:
        ink = rng.integers(0, 256, 3)
    image = Image.new("RGB", (120, 90), tuple(int(each) for each in ground))
    pen = ImageDraw.Draw(image)
    colour = tuple(int(each) for each in ink)
    size = int(rng.integers(36, 56))
    left, top = int(rng.integers(20, 100 - size)), int(rng.integers(5, 85 - size))
    box = (left, top, left + size, top + size)
    if name == "disc":
        pen.ellipse(box, fill=colour)
    elif name == "square":
        pen.rectangle(box, fill=colour)
    elif name == "triangle":
        pen.polygon([(left, top + size), (left + size, top + size), (left + size // 2, top)], fill=colour)
    else:
        pen.ellipse(box, outline=colour, width=size // 6)
    return image


def jpeg(image):
    file = io.BytesIO()
    image.save(file, "JPEG", quality=90)
    return file.getvalue()


def draw(count, seed):
    """`count` JPEG files and the numbers of their classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(NAMES), count)
    return [jpeg(picture(NAMES[label], rng)) for label in labels], labels
