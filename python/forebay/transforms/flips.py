"""Mirrored images."""

from __future__ import annotations

from typing import Any

from .. import fn
from .checks import probability
from .draws import Draws
from .picture import Picture
from .transform import Transform

__all__ = ["RandomHorizontalFlip", "RandomVerticalFlip", "flipped"]


def flipped(picture: Picture, horizontal: Any = 0, vertical: Any = 0) -> Picture:
    """At once."""
    image = picture.settled()
    return image.with_pixels(fn.flip(image.pixels, horizontal=horizontal, vertical=vertical))


class RandomHorizontalFlip(Transform):
    """Left becomes right, with probability `p`."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = probability(p)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        return draws.coin("applies", self.p)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return picture.mirrored(drawn)


class RandomVerticalFlip(RandomHorizontalFlip):
    """Top becomes bottom, with probability `p`."""

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return flipped(picture, vertical=drawn)
