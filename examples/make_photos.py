"""Makes a small data set of photo-like pictures: textured scenes, one folder a class, JPEG files of many sizes (PNG
where Pillow is not installed).

    python examples/make_photos.py FOLDER [COUNT]

What tells the classes apart is texture (stripes, checks, rings, ...) and, roughly, hue; light, scale, angle and grain vary
at random, so that a network has something to learn. The same pictures every time.
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np
from picture_files import PHOTO_SUFFIX, WITHOUT_PILLOW, write_photo
from progress import Progress

CLASSES = ("bricks", "checks", "clouds", "dots", "grass", "rings", "stripes", "waves")
SIDES = (280, 420)  # pixels, least and most
STEP = 20  # sides are multiples of it: quick Fourier transforms

Plane = Any  # an array of numbers, one for each pixel


def turned(rng: np.random.Generator, height: int, width: int) -> tuple[Plane, Plane]:
    """Coordinates of every pixel in a grid that is turned and stretched at random."""
    angle, scale = rng.uniform(0, np.pi), rng.uniform(0.06, 0.16)
    y, x = np.mgrid[:height, :width].astype(np.float32) * scale
    return x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)


def noise(rng: np.random.Generator, height: int, width: int, roughness: float) -> Plane:
    """Natural-looking grain: noise whose strength falls with the frequency's power `roughness`; about -1 to 1."""
    frequency = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :])
    frequency[0, 0] = 1
    phase = (2 * np.pi * rng.random(frequency.shape, np.float32)).astype(np.float32)
    spectrum = np.exp(1j * phase) * (frequency**-roughness).astype(np.float32)
    spectrum[0, 0] = 0
    field = np.fft.irfft2(spectrum, s=(height, width))
    return (field / (2 * field.std())).astype(np.float32)


def enlarging(small: int, large: int) -> Plane:
    """The matrix that takes `small` samples to `large` ones: cubic convolution, without what lies outside."""
    centers = (np.arange(large)[:, None] + 0.5) * small / large - 0.5
    away = np.abs(centers - np.arange(small))
    near = 1.5 * away**3 - 2.5 * away**2 + 1
    far = -0.5 * away**3 + 2.5 * away**2 - 4 * away + 2
    weights = np.where(away < 1, near, np.where(away < 2, far, 0))
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def pattern(kind: str, rng: np.random.Generator, height: int, width: int) -> Plane:
    """The texture of a class, from -1 to 1."""
    x, y = turned(rng, height, width)
    if kind == "bricks":
        shifted = x + np.floor(y) % 2
        return np.where((shifted % 2 < 0.2) | (y % 1 < 0.2), -1.0, 0.7)
    if kind == "checks":
        return np.sign(np.sin(2 * x) * np.sin(2 * y))
    if kind == "clouds":
        return noise(rng, height, width, 1.8)
    if kind == "dots":
        return np.where(np.hypot(x % 2 - 1, y % 2 - 1) < 0.6, 1.0, -0.8)
    if kind == "grass":
        return noise(rng, height, width, 0.6)
    if kind == "rings":
        return np.sin(3 * np.hypot(x - x.mean(), y - y.mean()))
    if kind == "stripes":
        return np.sign(np.sin(2.5 * x))
    return np.sin(2 * x + 1.5 * np.sin(1.5 * y))


def scene(kind: str, rng: np.random.Generator) -> Plane:
    """One picture, as bytes: texture between two colours, uneven light, grain."""
    height, width = STEP * rng.integers(SIDES[0] // STEP, SIDES[1] // STEP + 1, size=2)
    texture = pattern(kind, rng, height, width)[..., None]
    hue = 2 * np.pi * (CLASSES.index(kind) + rng.normal(0, 0.5)) / len(CLASSES)
    tint = 1 + 0.45 * np.cos(hue - np.array([0, 2, 4], np.float32) * np.pi / 3)
    dark, bright = rng.uniform(20, 90) * tint, rng.uniform(120, 180) * tint
    coarse = enlarging(16, int(height)) @ noise(rng, 16, 16, 2.0) @ enlarging(16, int(width)).T
    light = 1 + 0.3 * coarse[..., None]
    grain = 18 * noise(rng, height, width, 0.9)[..., None]
    picture = (dark + (bright - dark) * (texture + 1) / 2) * light + grain
    return picture.clip(0, 255).astype(np.uint8)


def make_photos(folder: str | pathlib.Path, count: int) -> None:
    """Writes `count` pictures, as many of each class; skips those that are there."""
    folder = pathlib.Path(folder)
    if PHOTO_SUFFIX != ".jpg":
        print(WITHOUT_PILLOW)
    for number in Progress(range(count), "making pictures"):
        kind = CLASSES[number % len(CLASSES)]
        path = folder / kind / f"{number:05}{PHOTO_SUFFIX}"
        if any(path.with_suffix(suffix).exists() for suffix in (".jpg", ".png")):
            continue
        rng = np.random.default_rng(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written whole before it has its name, so that an interrupted run leaves no half picture.
        partial = path.with_suffix(".part")
        pixels = scene(kind, rng)
        write_photo(partial, pixels, quality=int(rng.integers(80, 96)), subsampling=int(rng.choice([0, 2])))
        partial.rename(path)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    make_photos(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 512)
