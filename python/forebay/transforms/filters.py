"""Blur, noise and erased rectangles."""

from __future__ import annotations

from typing import Any, Sequence

from .. import fn, math
from ..types import DALIDataType
from .checks import fill_values, height_width, number_range, probability
from .draws import Draws
from .picture import Picture
from .resizing import drawn_window
from .sizes import vector
from .transform import Transform

__all__ = ["GaussianBlur", "GaussianNoise", "RandomErasing", "blurred"]


def blurred(picture: Picture, kernel_size: Sequence[int], sigma: Sequence[Any]) -> Picture:
    """By a Gaussian window; both arguments are (along x, along y)."""
    image = picture.settled()
    known = all(isinstance(value, float) for value in sigma)
    by_axis = list(sigma)[::-1]
    node = fn.gaussian_blur(
        image.pixels, window_size=list(kernel_size)[::-1],
        sigma=by_axis if known else vector(by_axis, DALIDataType.FLOAT),
    )
    return image.with_pixels(node)


class GaussianBlur(Transform):
    """Blurs by a Gaussian window of random standard deviation.

    :param kernel_size: the window's length, odd: one number, or those along x and y.
    :param sigma: range of the standard deviation, or the one.
    """

    def __init__(self, kernel_size: int | Sequence[int], sigma: float | Sequence[float] = (0.1, 2.0)) -> None:
        self.kernel_size = height_width("kernel_size", kernel_size)
        if any(length % 2 == 0 for length in self.kernel_size):
            raise ValueError(f"kernel_size={kernel_size!r} must be odd")
        self.sigma = number_range("sigma", sigma)
        if self.sigma[0] <= 0:
            raise ValueError(f"sigma={sigma!r} must be positive")

    def draw(self, draws: Draws, picture: Picture) -> Any:
        return draws.uniform("sigma", *self.sigma)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return blurred(picture, self.kernel_size, [drawn, drawn])


class GaussianNoise(Transform):
    """Adds normally distributed numbers. `mean` and `sigma` are parts of the range, 1 for floats and 255 for bytes."""

    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> None:
        if not sigma >= 0:
            raise ValueError(f"sigma={sigma!r} must be 0 or more")
        self.mean = mean
        self.sigma = sigma
        self.clip = clip

    def draw(self, draws: Draws, picture: Picture) -> Any:
        image = picture.settled()
        return fn.random.normal(
            image.pixels, mean=self.mean, stddev=self.sigma, dtype=DALIDataType.FLOAT, name=draws.name("noise")
        )

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        image = picture.settled()
        if not image.is_float:
            if not self.clip:
                raise ValueError("GaussianNoise: clip=False would wrap bytes around; convert to floats first")
            return image.with_pixels(fn.cast(math.floor(image.pixels + drawn * 255.0 + 0.5), dtype=DALIDataType.UINT8))
        noisy = image.pixels + drawn
        return image.with_pixels(math.clamp(noisy, 0.0, 1.0) if self.clip else noisy)


class RandomErasing(Transform):
    """Fills a random rectangle, with probability `p`.

    :param scale: range of its area, as a part of the image's.
    :param ratio: range of its height by its width; log-uniform.
    :param value: one number, one for each channel, or "random": normally distributed numbers, of float images.
    """

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
    ) -> None:
        self.p = probability(p)
        self.scale = number_range("scale", scale, least=0.0)
        self.ratio = number_range("ratio", ratio, least=0.0)
        self.value = value
        self.inplace = inplace
        if isinstance(value, str) and value != "random":
            raise ValueError(f"value={value!r} must be 'random', a number, or one for each channel")
        self._fill = [0.0] if isinstance(value, str) else fill_values(value)
        if self.scale[1] > 1 or self.scale[0] == 0 or self.ratio[0] == 0:
            raise ValueError(f"scale={scale!r} and ratio={ratio!r} must be positive, and parts of an area at most 1")

    def draw(self, draws: Draws, picture: Picture) -> Any:
        widths = (1.0 / self.ratio[1], 1.0 / self.ratio[0])  # by height, as random windows have it
        top, left, height, width = drawn_window(draws, picture, self.scale, widths)
        coin = draws.coin("applies", self.p)
        box = [top, left, height * coin, width * coin]
        if self.value != "random":
            return box, None
        return box, fn.random.normal(picture.settled().pixels, dtype=DALIDataType.FLOAT, name=draws.name("values"))

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        (top, left, height, width), noise = drawn
        if len(self._fill) not in (1, picture.channels):
            raise ValueError(f"RandomErasing: value has {len(self._fill)} numbers for {picture.channels} channels")
        image = picture.settled()
        box: dict[str, Any] = {
            "anchor": vector([top, left], DALIDataType.FLOAT), "shape": vector([height, width], DALIDataType.FLOAT),
            "axis_names": "HW",
        }
        if noise is None:
            return image.with_pixels(fn.erase(image.pixels, **box, fill_value=self._fill))
        if not image.is_float:
            raise TypeError("RandomErasing: value='random' is for floats: put ToTensor() before it")
        kept = fn.erase(fn.ones_like(image.pixels), **box)
        return image.with_pixels(image.pixels * kept + noise * (1.0 - kept))
