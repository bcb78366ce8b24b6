"""Windows of images, and what is put around them."""

from __future__ import annotations

from typing import Any, Sequence

from .checks import fill_values, height_width, number_range, probability, sides
from .draws import Draws
from .flips import flipped
from .picture import Picture
from .sizes import Size, larger, round_half, whole
from .transform import Transform

__all__ = ["CenterCrop", "FiveCrop", "Pad", "RandomCrop", "RandomZoomOut", "TenCrop", "center_window"]

_POLICIES = {"constant": "pad", "edge": "edge", "reflect": "reflect_101", "symmetric": "reflect_1001"}


def policy_of(padding_mode: str) -> str:
    """What fn.slice calls it."""
    if padding_mode not in _POLICIES:
        raise ValueError(f"padding_mode={padding_mode!r} must be one of {', '.join(map(repr, _POLICIES))}")
    return _POLICIES[padding_mode]


def center_window(picture: Picture, height: int, width: int) -> Picture:
    """The window in the middle; what it lacks of the image is put around it first, as zeros."""
    missing_rows, missing_columns = larger(height - picture.height, 0), larger(width - picture.width, 0)
    top = round_half(larger(picture.height - height, 0)) - missing_rows // 2
    left = round_half(larger(picture.width - width, 0)) - missing_columns // 2
    return picture.extended(top, left, height, width, "pad", [0.0])


class CenterCrop(Transform):
    """The window in the middle. Smaller images get zeros around them."""

    def __init__(self, size: int | Sequence[int]) -> None:
        self.size = height_width("size", size)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return center_window(picture, *self.size)


class Pad(Transform):
    """Puts rows and columns around images.

    :param padding: how many: one number, left-right and top-bottom, or left, top, right, bottom. Negative ones crop.
    :param fill: what is put there where `padding_mode` is "constant"; one number, or one for each channel.
    :param padding_mode: "constant", "edge", "reflect" (without the border) or "symmetric" (with it).
    """

    def __init__(self, padding: int | Sequence[int], fill: Any = 0, padding_mode: str = "constant") -> None:
        self.padding = sides(padding)
        self.fill = fill
        self.padding_mode = padding_mode
        self._fill = fill_values(fill)
        self._policy = policy_of(padding_mode)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        left, top, right, bottom = self.padding
        height, width = picture.height + top + bottom, picture.width + left + right
        return picture.extended(-top, -left, height, width, self._policy, self._fill)


class RandomCrop(Transform):
    """A window of that size at a random place.

    :param padding: put around first, as by :class:`Pad`.
    :param pad_if_needed: smaller images get as much on both sides as they lack; else they are an error.
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
    ) -> None:
        self.size = height_width("size", size)
        self.padding = None if padding is None else sides(padding)
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode
        self._fill = fill_values(fill)
        self._policy = policy_of(padding_mode)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        left, top, right, bottom = self.padding or (0, 0, 0, 0)
        row, more_rows = self._place(draws, "top", picture.height + top + bottom, self.size[0])
        column, more_columns = self._place(draws, "left", picture.width + left + right, self.size[1])
        return row - more_rows, column - more_columns

    def _place(self, draws: Draws, what: str, extent: Size, size: int) -> tuple[Size, Size]:
        """Where the window begins along an axis, and how much is put before it because the image is too small."""
        missing = larger(size - extent, 0) if self.pad_if_needed else 0
        return draws.below(what, extent + 2 * missing - size + 1), missing

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        top, left = drawn
        if self.padding is None and not self.pad_if_needed:
            return picture.window(top, left, *self.size)
        before_left, before_top, _, _ = self.padding or (0, 0, 0, 0)
        if self.pad_if_needed:
            return picture.extended(top - before_top, left - before_left, *self.size, self._policy, self._fill)
        padded = Pad(self.padding or 0, self.fill, self.padding_mode).apply(picture, None)
        return padded.window(top, left, *self.size)


class RandomZoomOut(Transform):
    """Puts the image at a random place on a canvas up to `side_range` times as large, with probability `p`."""

    def __init__(self, fill: Any = 0, side_range: Sequence[float] = (1.0, 4.0), p: float = 0.5) -> None:
        self.fill = fill
        self.side_range = number_range("side_range", side_range, least=1.0)
        self.p = probability(p)
        self._fill = fill_values(fill)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        factor = 1.0 + (draws.uniform("side", *self.side_range) - 1.0) * draws.coin("applies", self.p)
        height, width = whole(picture.height * factor), whole(picture.width * factor)
        top = whole((height - picture.height) * draws.part("top"))
        left = whole((width - picture.width) * draws.part("left"))
        return -top, -left, height, width

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        top, left, height, width = drawn
        return picture.extended(top, left, height, width, "pad", self._fill)


class FiveCrop(Transform):
    """Five pictures: the windows in the corners (top left, top right, bottom left, bottom right) and in the middle.
    What follows is done to each."""

    def __init__(self, size: int | Sequence[int]) -> None:
        self.size = height_width("size", size)

    def apply(self, picture: Picture, drawn: Any) -> tuple[Picture, ...]:
        height, width = self.size
        image = picture.settled()
        bottom, right = image.height - height, image.width - width
        corners = [image.window(top, left, height, width) for top in (0, bottom) for left in (0, right)]
        return *corners, center_window(image, height, width)


class TenCrop(FiveCrop):
    """The pictures of :class:`FiveCrop`, and the same of the image mirrored, left to right or `vertical_flip`."""

    def __init__(self, size: int | Sequence[int], vertical_flip: bool = False) -> None:
        super().__init__(size)
        self.vertical_flip = vertical_flip

    def apply(self, picture: Picture, drawn: Any) -> tuple[Picture, ...]:
        image = picture.settled()
        other = flipped(image, horizontal=int(not self.vertical_flip), vertical=int(self.vertical_flip))
        return *super().apply(image, drawn), *super().apply(other, drawn)
