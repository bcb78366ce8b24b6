"""Small photographs that tests make for themselves."""

from __future__ import annotations

import pathlib

import numpy as np
from PIL import Image


def make_photo(path: pathlib.Path, seed: int, width: int, height: int) -> None:
    """A smooth picture with some structure, different for each seed."""
    random = np.random.default_rng(seed)
    small = random.integers(0, 255, (6, 6, 3), dtype=np.uint8)
    picture = Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)
    picture.save(path, quality=90)
