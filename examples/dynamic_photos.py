"""Operators called one by one: pictures are looked at on the way, mixed with arrays, and what is broken says where.

    python examples/dynamic_photos.py [folder of pictures]

Without a folder it makes its own pictures.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

import numpy as np
from PIL import Image

import forebay.dynamic as ndd
from forebay import nd

SIZE = 64


def make_pictures(folder: pathlib.Path) -> None:
    random = np.random.default_rng(0)
    for number in range(24):
        place = folder / f"class{number % 2}"
        place.mkdir(exist_ok=True)
        pixels = random.integers(0, 256, (40 + number, 60, 3), np.uint8) // 2 + 100 * (number % 2)
        Image.fromarray(pixels.astype(np.uint8)).save(place / f"{number:02}.jpg")


def prepared(jpegs: ndd.Batch) -> ndd.Batch:
    images = ndd.decoders.image(jpegs)
    # No pipeline, so Python decides: shapes are looked at, which waits for the decoder.
    if max(height for height, _, _ in images.shape) > 2 * SIZE:
        images = ndd.resize(images, resize_shorter=2 * SIZE)
    images = ndd.resize(images, size=(SIZE, SIZE))
    return ndd.crop_mirror_normalize(images, mirror=ndd.random.coin_flip(batch_size=images.batch_size), scale=1 / 255)


def brightness(root: str) -> nd.NDArray:
    """The mean picture of the folder, by asynchronous arrays: nothing waits before somebody looks at the result."""
    total = nd.zeros((3, SIZE, SIZE))
    count = 0
    for jpegs, _ in ndd.readers.File(file_root=root, random_shuffle=True, seed=1).next_epoch(batch_size=8):
        batch = prepared(jpegs).as_nd((8, 3, SIZE, SIZE), "float32")
        total += batch.sum(axis=0)
        count += 8
    return total / count


def show_an_error() -> None:
    broken = ndd.decoders.image(ndd.tensor(np.zeros(100, np.uint8)))
    smaller = ndd.resize(broken, size=(8, 8))
    try:
        print(smaller.shape)
    except RuntimeError as error:
        print(f"told by who looks: {error}")


def main() -> None:
    ndd.random.set_seed(7)
    with tempfile.TemporaryDirectory() as made:
        root = sys.argv[1] if len(sys.argv) > 1 else made
        if root == made:
            make_pictures(pathlib.Path(made))
        mean = brightness(root)
        print(f"mean of all pictures: {float(mean.mean().asscalar()):.4f}")
    show_an_error()


if __name__ == "__main__":
    main()
