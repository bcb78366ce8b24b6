"""Pipelines that many tests run."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from forebay import fn, pipeline_def


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes() + str(array.shape).encode()).hexdigest()[:16]


@pipeline_def(num_threads=2, seed=7)
def augmented(root: str, shuffle: bool = True, **reader: Any) -> Any:
    jpegs, labels = fn.readers.file(file_root=root, random_shuffle=shuffle, name="reader", **reader)
    images = fn.decoders.image_random_crop(jpegs)
    images = fn.resize(images, size=(24, 24))
    images = fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), mean=[100.0], std=[50.0])
    return images, labels


@pipeline_def(num_threads=2, seed=7)
def labels_only(root: str, **reader: Any) -> Any:
    _, labels = fn.readers.file(file_root=root, name="reader", **reader)
    return labels


def hashes(pipe: Any, samples: int) -> list[tuple[int, int, str]]:
    """(epoch, position, hash of the outputs) of the first `samples` samples."""
    rows: list[tuple[int, int, str]] = []
    while len(rows) < samples:
        outputs = pipe.run()
        for place, who in enumerate(pipe.delivered()):
            content = "".join(digest(np.asarray(output.at(place))) for output in outputs)
            rows.append((who["epoch"], who["position"], content))
    return rows[:samples]
