"""InterpolationMode, and what of it each group of transforms can do."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..types import DALIInterpType

__all__ = ["InterpolationMode", "resampling_filter", "warp_filter"]


class InterpolationMode(Enum):
    """The modes of torchvision. BOX and HAMMING are not offered by any transform."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


_BY_PILLOWS_NUMBER = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming"}

_NEAREST = {"nearest": DALIInterpType.INTERP_NN, "nearest-exact": DALIInterpType.INTERP_NN}
_WARPS = {**_NEAREST, "bilinear": DALIInterpType.INTERP_LINEAR}
_RESAMPLING = {
    **_WARPS, "bicubic": DALIInterpType.INTERP_CUBIC, "lanczos": DALIInterpType.INTERP_LANCZOS3,
}


def _chosen(mode: Any, offered: dict[str, DALIInterpType]) -> DALIInterpType:
    text = getattr(mode, "value", mode)
    text = _BY_PILLOWS_NUMBER.get(text, text) if isinstance(text, int) else text
    if text not in offered:
        raise ValueError(f"interpolation={mode!r} is not offered here; take one of {', '.join(map(repr, offered))}")
    return offered[text]


def resampling_filter(mode: Any) -> DALIInterpType:
    """For resizing. Takes members of InterpolationMode, here's or torchvision's, their values, and Pillow's numbers;
    ValueError for what is not offered."""
    return _chosen(mode, _RESAMPLING)


def warp_filter(mode: Any) -> DALIInterpType:
    """For rotations, affine and perspective maps."""
    return _chosen(mode, _WARPS)
