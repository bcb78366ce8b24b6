"""Pillow."""

import io

import contender
import PIL
from PIL import Image

ENVIRONMENT = "torch"


def decode(data):
    return Image.open(io.BytesIO(data)).convert("RGB")


if __name__ == "__main__":
    contender.calls(contender.each_picture(lambda: decode), lambda: {"pillow": PIL.__version__})
