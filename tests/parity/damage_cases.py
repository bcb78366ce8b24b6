"""Flipped bits in the image data of JPEGs, and what becomes of each: DALI and Forebay both run this."""

from __future__ import annotations

import dataclasses
import pathlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Flip:
    """Bit `bit` of byte `at` of a file."""

    file: pathlib.Path
    at: int
    bit: int

    def apply(self, jpeg: bytes) -> bytes:
        return jpeg[: self.at] + bytes([jpeg[self.at] ^ 1 << self.bit]) + jpeg[self.at + 1 :]


def _image_data(jpeg: bytes) -> int:
    """Where the data of the first scan begins."""
    at = 2
    while jpeg[at + 1] != 0xDA:
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")


def flips(folder: pathlib.Path, count: int) -> Iterator[Flip]:
    """One after the other in the files of the folder, from the first scan's data to the end marker."""
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in (".jpg", ".jpeg"))
    chance = random.Random(1)
    for number in range(count):
        file = files[number % len(files)]
        jpeg = file.read_bytes()
        yield Flip(file, chance.randrange(_image_data(jpeg), len(jpeg) - 2), chance.randrange(8))


def _decoded(lib: Any, jpeg: bytes) -> np.ndarray | None:
    """None where the decoder refuses."""
    pipe = lib.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        encoded = lib.fn.external_source(source=lambda: [np.frombuffer(jpeg, np.uint8)])
        pipe.set_outputs(lib.fn.decoders.image(encoded))
    pipe.build()
    try:
        (out,) = pipe.run()
    except RuntimeError:
        return None
    return np.array(out.at(0)).astype(np.int16)


def changed_shares(lib: Any, cases: list[Flip]) -> list[float | None]:
    """For each flip the share of the pixels that it changes by more than 2; -1 where it changes none at all, None where
    the decoder refuses the file."""
    shares: list[float | None] = []
    whole: dict[pathlib.Path, np.ndarray | None] = {}
    for flip in cases:
        jpeg = flip.file.read_bytes()
        if flip.file not in whole:
            whole = {flip.file: _decoded(lib, jpeg)}
        right, wrong = whole[flip.file], _decoded(lib, flip.apply(jpeg))
        if right is None or wrong is None:
            shares.append(None)
        elif np.array_equal(right, wrong):
            shares.append(-1)
        else:
            shares.append(float(np.mean(np.abs(right - wrong).max(axis=2) > 2)))
    return shares
