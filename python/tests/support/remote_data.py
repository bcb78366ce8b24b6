"""What tests of stores across a network read, here and there, and how the results are compared."""

from __future__ import annotations

import io
import pathlib
import tarfile
from typing import Any

import numpy as np

import forebay.tfrecord as tfrec
from forebay import fn, pipeline_def

BATCH_SIZE = 5


def archive_of(photos: pathlib.Path) -> pathlib.Path:
    """A tar shard of the photographs and the names of their folders."""
    path = photos.parent / f"{photos.name}.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for photo in sorted(photos.rglob("*.jpg")):
            label = tarfile.TarInfo(f"{photo.stem}.cls")
            label.size = 6
            tar.add(photo, f"{photo.stem}.jpg")
            tar.addfile(label, io.BytesIO(photo.parent.name.encode()))
    return path


@pipeline_def(num_threads=2, batch_size=BATCH_SIZE, seed=7)
def from_files(root: str = "", **options: Any) -> Any:
    place = {"file_root": root} if root else {}
    jpegs, labels = fn.readers.file(random_shuffle=True, name="reader", **place, **options)
    return fn.resize(fn.decoders.image(jpegs), size=(24, 24)), labels


@pipeline_def(num_threads=2, batch_size=BATCH_SIZE, seed=7)
def from_shards(paths: list[str], **options: Any) -> Any:
    return fn.readers.webdataset(paths=paths, ext=["jpg", "cls"], random_shuffle=True, name="reader", **options)


@pipeline_def(num_threads=2, batch_size=BATCH_SIZE, seed=7)
def from_records(paths: list[str], **options: Any) -> Any:
    return fn.readers.tfrecord(path=paths, features={"picture": tfrec.FixedLenFeature([], tfrec.string, "")},
                               random_shuffle=True, name="reader", **options)["picture"]


def batches_of(pipe: Any) -> list[list[np.ndarray]]:
    """Two epochs, array by array."""
    count = 2 * -(-pipe.epoch_size("reader") // BATCH_SIZE)
    return [[np.array(output.at(place)) for output in pipe.run() for place in range(len(output))] for _ in range(count)]


def assert_same(one: list[list[np.ndarray]], other: list[list[np.ndarray]]) -> None:
    assert len(one) == len(other)
    for left, right in zip(one, other, strict=True):
        for ours, theirs in zip(left, right, strict=True):
            np.testing.assert_array_equal(ours, theirs)
