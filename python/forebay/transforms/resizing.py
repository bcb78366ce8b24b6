"""Resize, RandomResizedCrop and other changes of size."""

from __future__ import annotations

from typing import Any, Sequence

from .. import fn, math
from ..types import DALIDataType
from .checks import height_width, number_range
from .draws import Draws
from .interpolation import InterpolationMode, resampling_filter
from .picture import Picture
from .sizes import Size, is_known, larger, smaller, vector, whole
from .transform import Transform

__all__ = ["RandomResize", "RandomResizedCrop", "RandomShortestSize", "Resize", "ScaleJitter", "target_size"]


def _scaled(shorter: Size, longer: Size, to: Size) -> Size:
    return to * longer // shorter


def target_size(size: Sequence[int] | None, max_size: int | None, height: Size, width: Size) -> tuple[Size, Size]:
    """The height and width that torchvision's resize gives an image of that size: `size` is both, or the shorter side;
    None: `max_size` is the longer side."""
    if size is not None and len(size) == 2:
        return size[0], size[1]
    shorter, longer = smaller(height, width), larger(height, width)
    if size is None:
        assert max_size is not None
        new_shorter, new_longer = _scaled(longer, shorter, max_size), _as_size(max_size, height)
    else:
        new_shorter, new_longer = _as_size(size[0], height), _scaled(shorter, longer, size[0])
        if max_size is not None:
            limited = max_size * new_shorter // larger(new_longer, 1)
            is_over = new_longer > max_size
            new_shorter = _chosen(is_over, limited, new_shorter)
            new_longer = smaller(new_longer, max_size)
    is_wide = height <= width
    return _chosen(is_wide, new_shorter, new_longer), _chosen(is_wide, new_longer, new_shorter)


def _as_size(number: int, like: Size) -> Size:
    return number if is_known(like) else like * 0 + number


def _chosen(condition: Any, if_true: Size, if_false: Size) -> Size:
    """One of two sizes."""
    if isinstance(condition, bool):
        return if_true if condition else if_false
    chosen = fn.cast(condition, dtype=DALIDataType.INT32)
    return chosen * if_true + (1 - chosen) * if_false


class Resize(Transform):
    """Resizes, as Pillow does to the bit; without `antialias` as torch does, within 1.

    :param size: height and width, or the length of the shorter side; None: `max_size` is the longer side.
    :param max_size: limits the longer side where `size` is one number.
    """

    def __init__(
        self,
        size: int | Sequence[int] | None,
        interpolation: Any = InterpolationMode.BILINEAR,
        max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:
        if size is None and max_size is None:
            raise ValueError("Resize: give `max_size` where `size` is None")
        both = None if size is None else height_width("size", size)
        is_one = isinstance(size, int) or (size is not None and len(size) == 1)
        if max_size is not None and both is not None and not is_one:
            raise ValueError("Resize: `max_size` goes with one number as `size`, the length of the shorter side")
        if max_size is not None and is_one and both is not None and max_size <= both[0]:
            raise ValueError(f"Resize: max_size={max_size} must be larger than size={both[0]}, the shorter side")
        self.size = None if both is None else list(both[:1] if is_one else both)
        self.interpolation = interpolation
        self.max_size = max_size
        self.antialias = antialias
        self._filter = resampling_filter(interpolation)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        height, width = target_size(self.size, self.max_size, picture.height, picture.width)
        return picture.resized(height, width, self._filter, self.antialias is not False)


class RandomResizedCrop(Transform):
    """Resizes a window of random area and aspect ratio.

    :param scale: range of the window's area, as a part of the image's.
    :param ratio: range of its width by its height; log-uniform.
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        self.size = height_width("size", size)
        self.scale = number_range("scale", scale, least=0.0)
        self.ratio = number_range("ratio", ratio, least=0.0)
        self.interpolation = interpolation
        self.antialias = antialias
        self._filter = resampling_filter(interpolation)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        return drawn_window(draws, picture, self.scale, self.ratio)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return picture.window(*drawn).resized(*self.size, self._filter, self.antialias is not False)


def drawn_window(draws: Draws, picture: Picture, scale: Sequence[float], ratio: Sequence[float]) -> tuple[Size, ...]:
    """(top, left, height, width) of a window with a part of the area in `scale` and a width by height in `ratio`."""
    shape = vector([picture.height, picture.width], DALIDataType.INT32)
    anchor, extents = fn.random_crop_generator(
        shape, random_area=list(scale), random_aspect_ratio=list(ratio), name=draws.name("window")
    )
    return anchor[0], anchor[1], extents[0], extents[1]


class ScaleJitter(Transform):
    """Resizes so that the image fits into `target_size`, times a random number of `scale_range`."""

    def __init__(
        self,
        target_size: Sequence[int],
        scale_range: Sequence[float] = (0.1, 2.0),
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        self.target_size = height_width("target_size", target_size)
        self.scale_range = number_range("scale_range", scale_range, least=0.0)
        self.interpolation = interpolation
        self.antialias = antialias
        self._filter = resampling_filter(interpolation)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        # torchvision takes the second entry for the height; scripts that pass equal ones see no difference
        by_height = float(self.target_size[1]) / picture.height
        by_width = float(self.target_size[0]) / picture.width
        fits = min(by_height, by_width) if is_known(picture.height, picture.width) else math.min(by_height, by_width)
        return fits * draws.uniform("scale", *self.scale_range)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        height, width = whole(picture.height * drawn), whole(picture.width * drawn)
        return picture.resized(larger(height, 1), larger(width, 1), self._filter, self.antialias is not False)


class RandomShortestSize(Transform):
    """Resizes the shorter side to one of `min_size`, as long as the longer stays within `max_size`."""

    def __init__(
        self,
        min_size: int | Sequence[int],
        max_size: int | None = None,
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        self.min_size = [min_size] if isinstance(min_size, int) else list(min_size)
        self.max_size = max_size
        self.interpolation = interpolation
        self.antialias = antialias
        self._filter = resampling_filter(interpolation)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        if len(self.min_size) == 1:
            return float(self.min_size[0])
        return fn.random.uniform(values=[float(size) for size in self.min_size], name=draws.name("min_size"))

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        factor = drawn / smaller(picture.height, picture.width)
        if self.max_size is not None:
            limit = float(self.max_size) / larger(picture.height, picture.width)
            both_known = isinstance(factor, float) and isinstance(limit, float)
            factor = min(factor, limit) if both_known else math.min(factor, limit)
        height, width = whole(picture.height * factor), whole(picture.width * factor)
        return picture.resized(larger(height, 1), larger(width, 1), self._filter, self.antialias is not False)


class RandomResize(Transform):
    """Resizes the shorter side to a random length from `min_size` to `max_size` - 1."""

    def __init__(
        self,
        min_size: int,
        max_size: int,
        interpolation: Any = InterpolationMode.BILINEAR,
        antialias: bool | None = True,
    ) -> None:
        if not 0 < min_size < max_size:
            raise ValueError(f"RandomResize: min_size={min_size} must be positive and below max_size={max_size}")
        self.min_size = min_size
        self.max_size = max_size
        self.interpolation = interpolation
        self.antialias = antialias
        self._filter = resampling_filter(interpolation)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        return self.min_size + draws.below("size", self.max_size - self.min_size)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        shorter, longer = smaller(picture.height, picture.width), larger(picture.height, picture.width)
        new_longer = _scaled(shorter, longer, drawn)
        is_wide = picture.height <= picture.width
        height, width = _chosen(is_wide, drawn, new_longer), _chosen(is_wide, new_longer, drawn)
        return picture.resized(height, width, self._filter, self.antialias is not False)
