"""TIFFs of numbers that DALI refuses, or whose white is not white there, against the numbers that were written, and what
Pillow reads of them: off by a step of 8 bits at most where they have fewer, else by one of 16 bits."""

from __future__ import annotations

import io

import numpy as np
import pytest
from tiff_files import tiff

import forebay
from forebay import fn, types

MOST = {"UINT8": 255, "UINT16": 65535, "FLOAT": 1}
FILES = {"strips": {}, "tiles": {"tile": 16, "coding": 8}, "BigTIFF": {"is_big": True, "order": ">"}}
PILLOW_READS = {(1, 1), (2, 1), (4, 1), (12, 1), (16, 1), (32, 1)}


def numbers(bits: int, channels: int) -> np.ndarray:
    """All that there are, or some with the least and the largest."""
    drawn = np.random.default_rng(bits).integers(0, 1 << bits, (37, 53, channels), np.uint32)
    drawn[0, :2] = [[0], [(1 << bits) - 1]]
    return drawn


def tolerance(bits: int, dtype: str) -> float:
    step = MOST[dtype] / (255 if bits < 8 else 65535)
    return step * 1.001 if dtype == "FLOAT" else max(1, step)


def decoded(data: bytes, dtype: str) -> np.ndarray:
    @forebay.pipeline_def(batch_size=1, num_threads=1)
    def pipe():
        encoded = fn.external_source(lambda: [np.frombuffer(data, np.uint8)])
        return fn.decoders.image(encoded, output_type=types.ANY_DATA, dtype=getattr(types, dtype))

    (batch,) = pipe().run()
    return np.asarray(batch.at(0)).astype(np.float64)


@pytest.mark.parametrize("dtype", MOST)
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("bits", [1, 2, 3, 4, 6, 7, 9, 10, 12, 14, 15, 16, 24, 32])
def test_numbers_of_any_bits_span_the_range(bits: int, channels: int, file: str, dtype: str) -> None:
    written = numbers(bits, channels)
    got = decoded(tiff(written, bits, **FILES[file]), dtype)
    assert got.shape == written.shape
    assert np.abs(got - written / ((1 << bits) - 1) * MOST[dtype]).max() <= tolerance(bits, dtype)
    assert (got[0, 0, 0], got[0, 1, 0]) == (0, MOST[dtype])


@pytest.mark.parametrize(("bits", "channels"), sorted(PILLOW_READS))
def test_numbers_are_those_that_pillow_reads(bits: int, channels: int) -> None:
    image = pytest.importorskip("PIL.Image")
    data = tiff(numbers(bits, channels), bits)
    with image.open(io.BytesIO(data)) as picture:
        read = np.asarray(picture)[..., None]
    if read.dtype == np.int32:  # which its numbers of 32 bits are
        read = read.view(np.uint32)
    most = 1 if picture.mode == "1" else 255 if picture.mode == "L" else (1 << bits) - 1
    assert np.abs(decoded(data, "FLOAT") - read / most).max() <= tolerance(bits, "FLOAT")
