"""Magnitude bins, with a random sign for each sample."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ... import fn
from ...element_types import INT32
from ...graph.data_node import DataNode
from ...graph.values import Scalar

__all__ = ["SignedMagnitudeBin", "is_bin", "signed_bin", "with_both_signs"]


def is_bin(value: Any) -> bool:
    """A number, or a number for each sample."""
    is_number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return is_number or isinstance(value, (DataNode, Scalar))


def with_both_signs(magnitudes: Sequence[Any]) -> list[Any]:
    """Each magnitude and its negative: place 2 * bin + sign."""
    signed = []
    for magnitude in magnitudes:
        signed += [magnitude, -magnitude]
    return signed


class SignedMagnitudeBin:
    """A bin and a random sign. Where they have an axis of stages, ``signed[stage]`` is those of one stage."""

    def __init__(self, magnitude_bin: int | DataNode, random_sign: DataNode, signed_magnitude_idx: DataNode) -> None:
        self.bin = magnitude_bin
        self.random_sign = random_sign
        self.signed_magnitude_idx = signed_magnitude_idx

    def __getitem__(self, stage: int) -> SignedMagnitudeBin:
        magnitude_bin = self.bin[stage] if isinstance(self.bin, DataNode) else self.bin
        return SignedMagnitudeBin(magnitude_bin, self.random_sign[stage], self.signed_magnitude_idx[stage])


def signed_bin(
    magnitude_bin: int | DataNode,
    random_sign: DataNode | None = None,
    seed: int | None = None,
    shape: Sequence[int] | None = None,
) -> SignedMagnitudeBin:
    """Joins a magnitude bin with a sign, so that the sign is drawn once, before the batch is split among augmentations.

    :param magnitude_bin: the bin, or one for each sample.
    :param random_sign: 0 or 1 (negative) for each sample; drawn when not given.
    :param seed: of the drawn signs.
    :param shape: of the drawn signs of a sample, where it goes through several stages.
    """
    if not is_bin(magnitude_bin):
        raise TypeError(
            "`magnitude_bin` must be an int, or a DataNode with one for each sample, from 0 to num_magnitude_bins - 1; "
            f"it is {magnitude_bin!r}"
        )
    if random_sign is not None and (seed is not None or shape is not None):
        raise ValueError("`random_sign` is given, so nothing is drawn: leave out `seed` and `shape`")
    if random_sign is None:
        random_sign = fn.random.uniform(values=[0, 1], dtype=INT32, seed=seed, shape=() if shape is None else shape)
    return SignedMagnitudeBin(magnitude_bin, random_sign, 2 * magnitude_bin + random_sign)
