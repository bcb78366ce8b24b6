"""Transforms of images: blocks that take an array (height, width, channels), or several images along a first axis.
Random ones draw from Forebay's generator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .... import nd
from ...._core import crop_image, image_to_tensor, resize_image
from ....nd import NDArray
from ...block import Block
from ...hybrid_block import HybridBlock
from ...nn import Sequential
from .. import draws

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "CropResize",
    "Normalize",
    "RandomApply",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomResizedCrop",
    "Resize",
    "ToTensor",
]

Size = int | Sequence[int]
_FILTERS = {0: "nearest", 1: "linear", 2: "cubic"}


def _width_and_height(size: Size) -> tuple[int, int]:
    width, height = (size, size) if isinstance(size, int) else size
    return int(width), int(height)


def _extents(image: NDArray) -> tuple[int, int]:
    """Height and width."""
    return image.shape[-3], image.shape[-2]


def _filter(interpolation: int | None) -> str:
    number = 1 if interpolation is None else interpolation
    if number not in _FILTERS:
        raise ValueError(f"interpolation is 0 (nearest), 1 (linear) or 2 (cubic), not {number}")
    return _FILTERS[number]


class Compose(Sequential):
    """Transforms one after the other."""

    def __init__(self, transforms: Sequence[Block]) -> None:
        super().__init__()
        self.add(*transforms)


class Cast(HybridBlock):
    """To another element type."""

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self._dtype = dtype

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        return x.astype(self._dtype)


class ToTensor(HybridBlock):
    """Channels first, and numbers from 0 to 255 as floats from 0 to 1."""

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        return image_to_tensor(x)


class Normalize(HybridBlock):
    """(x - mean) / std, with one number, or one per channel, of tensors whose channels come first."""

    def __init__(self, mean: float | Sequence[float] = 0.0, std: float | Sequence[float] = 1.0) -> None:
        super().__init__()
        self._mean = _per_channel(mean)
        self._std = _per_channel(std)

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        return (x - self._mean) / self._std


def _per_channel(values: float | Sequence[float]) -> float | NDArray:
    return float(values) if isinstance(values, (int, float)) else nd.array(list(values)).reshape((-1, 1, 1))


class Resize(HybridBlock):
    """To a size, (width, height) or both in one number; with ``keep_ratio`` a number is that of the shorter side."""

    def __init__(self, size: Size, keep_ratio: bool = False, interpolation: int = 1) -> None:
        super().__init__()
        self._size = size
        self._keep_ratio = keep_ratio
        self._filter = _filter(interpolation)

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        width, height = _width_and_height(self._size)
        if self._keep_ratio and isinstance(self._size, int):
            rows, columns = _extents(x)
            if columns > rows:
                width = int(columns * self._size / rows)
            else:
                height = int(rows * self._size / columns)
        return resize_image(x, height, width, self._filter)


class CropResize(HybridBlock):
    """A window, resized where ``size`` is given."""

    def __init__(
        self, x: int, y: int, width: int, height: int, size: Size | None = None, interpolation: int | None = None
    ) -> None:
        super().__init__()
        self._window = (y, x, height, width)
        self._size = size
        self._filter = _filter(interpolation)

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        part = crop_image(x, *self._window)
        if self._size is None:
            return part
        width, height = _width_and_height(self._size)
        return resize_image(part, height, width, self._filter)


class CenterCrop(Block):
    """The middle; smaller images are resized to the size."""

    def __init__(self, size: Size, interpolation: int = 1) -> None:
        super().__init__()
        self._size = _width_and_height(size)
        self._filter = _filter(interpolation)

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        rows, columns = _extents(x)
        width, height = self._size
        scale = min(1.0, columns / width, rows / height)
        taken_width, taken_height = int(width * scale), int(height * scale)
        part = crop_image(x, (rows - taken_height) // 2, (columns - taken_width) // 2, taken_height, taken_width)
        if (taken_width, taken_height) == self._size:
            return part
        return resize_image(part, height, width, self._filter)


class RandomResizedCrop(Block):
    """A window of a random share of the area (``scale``) and a random ratio of its sides, resized; the middle where
    none was found in ten tries."""

    def __init__(
        self,
        size: Size,
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: int = 1,
    ) -> None:
        super().__init__()
        self._size = _width_and_height(size)
        self._scale = scale
        self._ratio = ratio
        self._filter = _filter(interpolation)

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        width, height = self._size
        return resize_image(crop_image(x, *self._window(*_extents(x))), height, width, self._filter)

    def _window(self, rows: int, columns: int) -> tuple[int, int, int, int]:
        low, high = (math.log(ratio) for ratio in self._ratio)
        for _ in range(10):
            share, shape, top, left = draws.uniform(4)
            area = rows * columns * (self._scale[0] + share * (self._scale[1] - self._scale[0]))
            ratio = math.exp(low + shape * (high - low))
            width, height = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < width <= columns and 0 < height <= rows:
                return int(top * (rows - height + 1)), int(left * (columns - width + 1)), height, width
        side = min(rows, columns)
        return (rows - side) // 2, (columns - side) // 2, side, side


class RandomFlipLeftRight(HybridBlock):
    """Mirrored in half of all cases."""

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        return x if draws.uniform(1)[0] < 0.5 else crop_image(x, 0, 0, *_extents(x), True, False)


class RandomFlipTopBottom(HybridBlock):
    """Turned upside down in half of all cases."""

    def forward(self, x: NDArray, *args: Any) -> NDArray:
        return x if draws.uniform(1)[0] < 0.5 else crop_image(x, 0, 0, *_extents(x), False, True)


class RandomApply(Sequential):
    """Transforms that are done with probability ``p``."""

    def __init__(self, transforms: Block | Sequence[Block], p: float = 0.5) -> None:
        super().__init__()
        self.add(*([transforms] if isinstance(transforms, Block) else transforms))
        self._probability = p

    def forward(self, x: NDArray, *args: Any) -> Any:
        return x if self._probability < draws.uniform(1)[0] else super().forward(x, *args)
