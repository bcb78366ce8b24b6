"""The inputs by name: batches of arrays, the same in every process, and their layouts."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

BATCH = 32
HEIGHT, WIDTH = 480, 640
Batch = list[np.ndarray]


def _random(number: int) -> np.random.Generator:
    return np.random.default_rng([34, number])


def _picture(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Waves and rectangles with some noise, in three channels, over all of a byte's range."""
    y, x = np.meshgrid(np.linspace(0, 3, height), np.linspace(0, 4, width), indexing="ij")
    phases = random.uniform(0, 6, 3)
    channels = [0.5 + 0.4 * np.sin((number + 1) * x + y * phases[number] + phases[number]) for number in range(3)]
    picture = np.stack(channels, axis=-1)
    for _ in range(12):
        top, left = (int(random.integers(0, extent * 3 // 4)) for extent in (height, width))
        picture[top : top + height // 6, left : left + width // 6] = random.random(3)
    noisy = picture + random.normal(0, 0.03, picture.shape)
    return (np.clip(noisy, 0, 1) * 255).astype(np.uint8)


def photos() -> Batch:
    random = _random(0)
    return [_picture(random, HEIGHT, WIDTH) for _ in range(BATCH)]


def photos_again() -> Batch:
    return photos()[::-1]


def small_photos() -> Batch:
    """As after cropping; bytes."""
    return [np.ascontiguousarray(photo[:224, :224]) for photo in photos()]


def float_photos() -> Batch:
    return [photo.astype(np.float32) for photo in small_photos()]


def float_planes() -> Batch:
    return [np.ascontiguousarray(photo.transpose(2, 0, 1)) for photo in float_photos()]


def grey_photos() -> Batch:
    return [photo[..., :1].copy() for photo in photos()]


def mosaics() -> Batch:
    """What a sensor behind a Bayer filter gives."""
    return [photo[..., 1].copy() for photo in photos()]


def videos() -> Batch:
    return [np.stack([photo[row : row + 120, :160] for row in range(0, 320, 40)]) for photo in photos()]


def masks() -> Batch:
    """A dozen objects of five classes on a background of 0."""
    random = _random(1)
    drawn = []
    for _ in range(BATCH):
        mask = np.zeros((HEIGHT, WIDTH), np.int32)
        for _ in range(12):
            top, left = int(random.integers(0, 400)), int(random.integers(0, 560))
            height, width = (int(extent) for extent in random.integers(10, 80, 2))
            mask[top : top + height, left : left + width] = random.integers(1, 6)
        drawn.append(mask)
    return drawn


def boxes() -> Batch:
    """As many a picture as COCO has, seven on average; left, top, right, bottom as parts of the picture."""
    random = _random(2)
    batch = []
    for number in range(BATCH):
        count = 1 + number * 13 // BATCH
        low = random.uniform(0, 0.6, (count, 2))
        batch.append(np.float32(np.concatenate([low, low + random.uniform(0.05, 0.4, (count, 2))], axis=1)))
    return batch


def labels() -> Batch:
    return [np.arange(len(each), dtype=np.int32) + 1 for each in boxes()]


def points() -> Batch:
    random = _random(3)
    return [np.float32(random.uniform(0, 1, (68, 2))) for _ in range(BATCH)]


def matrices() -> Batch:
    random = _random(4)
    return [np.float32(random.uniform(-1, 1, (2, 3))) for _ in range(BATCH)]


def mask_ids() -> Batch:
    return [np.int32([4, 0, 2]) for _ in range(BATCH)]


def polygons() -> Batch:
    """Seven polygons of thirty vertices each, as rows of (mask, first vertex, end)."""
    return [np.int32([[number, 30 * number, 30 * number + 30] for number in range(7)]) for _ in range(BATCH)]


def vertices() -> Batch:
    random = _random(5)
    return [np.float32(random.uniform(0, 640, (210, 2))) for _ in range(BATCH)]


def classes() -> Batch:
    return [np.array([number % 1000], np.int32) for number in range(BATCH)]


def vectors() -> Batch:
    random = _random(6)
    return [np.float32(random.uniform(0.1, 0.9, 4096)) for _ in range(BATCH)]


def ragged() -> Batch:
    """Arrays of all lengths, as sentences or sounds."""
    random = _random(7)
    return [np.float32(random.uniform(-1, 1, 2000 + 60 * number)) for number in range(BATCH)]


def sounds() -> Batch:
    """Two seconds or less of speech's band at 16 kHz: tones that come and go, over some noise, with silence at the ends."""
    random = _random(10)
    batch = []
    for number in range(BATCH):
        length = 16000 + 500 * number
        seconds = np.arange(length) / 16000
        tones = sum(np.sin(2 * np.pi * pitch * seconds) for pitch in random.uniform(100, 4000, 5))
        loudness = np.clip(np.sin(np.pi * seconds * 16000 / length) * 1.4 - 0.3, 0, 1)
        batch.append(np.float32(0.15 * loudness * tones + random.normal(0, 1e-4, length)))
    return batch


def spectra() -> Batch:
    """Powers by frequency and time, of 512 points: (257, frames)."""
    random = _random(11)
    return [np.float32(random.uniform(0, 4, (257, 100 + number)) ** 2) for number in range(BATCH)]


def mel_spectra() -> Batch:
    return [spectrum[:80].copy() for spectrum in spectra()]


def kernels() -> Batch:
    random = _random(8)
    return [np.float32(random.normal(0, 0.2, (5, 5))) for _ in range(BATCH)]


def pairs() -> Batch:
    """Which two pictures of the batch are pasted onto one."""
    return [np.int32([number, (number + 5) % BATCH]) for number in range(BATCH)]


def pasted_starts() -> Batch:
    return [np.int32([[0, 0], [100, 100]])] * BATCH


def pasted_shapes() -> Batch:
    return [np.int32([[240, 640], [240, 500]])] * BATCH


def pasted_places() -> Batch:
    return [np.int32([[0, 0], [240, 70]])] * BATCH


def channel_means() -> Batch:
    return [np.float32([123.7, 116.3, 103.5]) for _ in range(BATCH)]


def picture_shapes() -> Batch:
    return [np.int64([HEIGHT, WIDTH, 3]) for _ in range(BATCH)]


def scalars() -> Batch:
    return [np.float32(0.5 + number / BATCH).reshape(()) for number in range(BATCH)]


LAYOUTS = {"photos": "HWC", "photos_again": "HWC", "small_photos": "HWC", "float_photos": "HWC", "float_planes": "CHW",
           "grey_photos": "HWC", "mosaics": "HW", "videos": "FHWC", "masks": "HW"}


@functools.cache
def batch(name: str) -> tuple[Batch, str | None]:
    """The arrays and the layout of the input of that name."""
    make: Callable[[], Batch] = globals()[name]
    return make(), LAYOUTS.get(name)
