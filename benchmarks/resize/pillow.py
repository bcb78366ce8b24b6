"""Pillow, which always antialiases."""

import contender
import PIL
from PIL import Image

ENVIRONMENT = "torch"
FILTERS = {"nearest": Image.Resampling.NEAREST, "linear": Image.Resampling.BILINEAR,
           "cubic": Image.Resampling.BICUBIC, "lanczos3": Image.Resampling.LANCZOS}


def prepare(task):
    row = task["row"]
    grows = row["width"] > row["in_width"]
    if not (row["antialias"] or grows or row["filter"] == "nearest"):
        return None
    image = Image.fromarray(contender.read_pixels(row))
    size = (row["width"], row["height"])
    return lambda: image.resize(size, FILTERS[row["filter"]])


if __name__ == "__main__":
    contender.calls(prepare, lambda: {"pillow": PIL.__version__})
