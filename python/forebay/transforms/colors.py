"""Transforms of colours, by fn.experimental.augment: torchvision's numerics on tensors."""

from __future__ import annotations

from typing import Any, Sequence

from .. import fn
from ..types import DALIDataType, DALIInterpType
from .checks import number_range, probability
from .draws import Draws
from .picture import Picture
from .sizes import vector
from .transform import Transform

__all__ = [
    "OPERATIONS", "ColorJitter", "Grayscale", "RGB", "RandomAdjustSharpness", "RandomAutocontrast", "RandomEqualize",
    "RandomGrayscale", "RandomInvert", "RandomPosterize", "RandomSolarize", "augmented",
]

OPERATIONS = {
    name: number
    for number, name in enumerate(
        "nothing brightness contrast saturation hue sharpness posterize solarize autocontrast equalize invert "
        "grayscale gamma shear_x shear_y translate_x translate_y rotate".split()
    )
}
"""The numbers of fn.experimental.augment."""


def augmented(
    picture: Picture, operations: Any, amounts: Any, order: Any = None, fill: float = 0.0,
    filter: DALIInterpType = DALIInterpType.INTERP_NN,
) -> Picture:
    """With the operations, by number, done. Arguments are lists, or nodes."""
    if picture.channels not in (1, 3):
        raise ValueError(f"colours are changed in images of 1 or 3 channels, not of {picture.channels}")
    image = picture.in_layout("HWC")
    arguments = {} if order is None else {"order": order}
    node = fn.experimental.augment(
        image.pixels, operations=operations, amounts=amounts, fill_value=fill, interp_type=filter, **arguments
    )
    return image.with_pixels(node)


class ColorJitter(Transform):
    """Changes brightness, contrast, saturation and hue, in random order.

    :param brightness, contrast, saturation: the range of the factor, low and high; one number x means 1 - x to 1 + x.
    :param hue: the range of the turn, -0.5 to 0.5; one number x means -x to x.
    """

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0) -> None:
        self.brightness = _jitter("brightness", brightness)
        self.contrast = _jitter("contrast", contrast)
        self.saturation = _jitter("saturation", saturation)
        self.hue = number_range("hue", hue, symmetric=True)
        if self.hue[0] < -0.5 or self.hue[1] > 0.5:
            raise ValueError(f"hue={hue!r} must lie within -0.5 and 0.5")

    def draw(self, draws: Draws, picture: Picture) -> Any:
        factors = {"brightness": self.brightness, "contrast": self.contrast, "saturation": self.saturation}
        ranges = {name: limits for name, limits in factors.items() if limits != (1.0, 1.0)}
        if self.hue != (0.0, 0.0):
            ranges["hue"] = self.hue
        amounts = [draws.uniform(name, *limits) for name, limits in ranges.items()]
        order = draws.parts("order", [len(ranges)]) if len(ranges) > 1 else None
        return [OPERATIONS[name] for name in ranges], amounts, order

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        operations, amounts, order = drawn
        if not operations:
            return picture
        return augmented(picture, operations, vector(amounts, DALIDataType.FLOAT), order)


def _jitter(name: str, value: Any) -> tuple[float, float]:
    if isinstance(value, Sequence):
        return number_range(name, value, least=0.0)
    low, high = number_range(name, value, symmetric=True)
    return max(0.0, 1.0 + low), 1.0 + high


class Grayscale(Transform):
    """Grey, as one channel or as three equal ones."""

    def __init__(self, num_output_channels: int = 1) -> None:
        if num_output_channels not in (1, 3):
            raise ValueError(f"num_output_channels={num_output_channels!r} must be 1 or 3")
        self.num_output_channels = num_output_channels

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        image = picture if picture.channels == 1 else augmented(picture, [OPERATIONS["grayscale"]], [0.0])
        return with_channels(image, self.num_output_channels)


class RGB(Transform):
    """Three channels: of grey images three equal ones."""

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return picture if picture.channels == 3 else with_channels(picture, 3)


def with_channels(picture: Picture, channels: int) -> Picture:
    """The first of several channels, or one channel as several."""
    if picture.channels == channels:
        return picture
    image = picture.in_layout("HWC")
    if channels == 1:
        node = fn.slice(image.pixels, start=[0], shape=[1], axis_names="C")
    elif picture.channels == 1:
        node = fn.cat(*[image.pixels] * channels, axis=2)
    else:
        raise ValueError(f"an image of {picture.channels} channels has no meaning as one of {channels}")
    return image.with_pixels(node, channels=channels)


class _RandomOperation(Transform):
    """One operation, with probability `p`."""

    _operation = "nothing"

    def __init__(self, p: float = 0.5) -> None:
        self.p = probability(p)

    def _amount(self, picture: Picture) -> float:
        return 0.0

    def draw(self, draws: Draws, picture: Picture) -> Any:
        return draws.coin("applies", self.p)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        number = OPERATIONS[self._operation]
        operations = [number * drawn] if isinstance(drawn, int) else drawn * number
        return augmented(picture, operations, [self._amount(picture)])


class RandomGrayscale(_RandomOperation):
    """Grey in as many channels as before, with probability `p`."""

    _operation = "grayscale"

    def __init__(self, p: float = 0.1) -> None:
        super().__init__(p)


class RandomInvert(_RandomOperation):
    """Inverted, with probability `p`."""

    _operation = "invert"


class RandomAutocontrast(_RandomOperation):
    """Each channel stretched to the whole range, with probability `p`."""

    _operation = "autocontrast"


class RandomEqualize(_RandomOperation):
    """The histogram of each channel levelled out, with probability `p`."""

    _operation = "equalize"


class RandomPosterize(_RandomOperation):
    """With `bits` bits for each channel, with probability `p`."""

    _operation = "posterize"

    def __init__(self, bits: int, p: float = 0.5) -> None:
        super().__init__(p)
        if not 0 <= bits <= 8:
            raise ValueError(f"bits={bits!r} must be 0 to 8")
        self.bits = bits

    def _amount(self, picture: Picture) -> float:
        return float(self.bits)


class RandomSolarize(_RandomOperation):
    """Values of `threshold` or more inverted, with probability `p`."""

    _operation = "solarize"

    def __init__(self, threshold: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.threshold = threshold

    def _amount(self, picture: Picture) -> float:
        if self.threshold > (1.0 if picture.is_float else 255.0):
            raise ValueError(f"threshold={self.threshold} is above the largest value of the image's type")
        return float(self.threshold)


class RandomAdjustSharpness(_RandomOperation):
    """Sharpened by a factor (0 blurs, 1 changes nothing, 2 sharpens), with probability `p`."""

    _operation = "sharpness"

    def __init__(self, sharpness_factor: float, p: float = 0.5) -> None:
        super().__init__(p)
        if not sharpness_factor >= 0:
            raise ValueError(f"sharpness_factor={sharpness_factor!r} must be 0 or more")
        self.sharpness_factor = sharpness_factor

    def _amount(self, picture: Picture) -> float:
        return float(self.sharpness_factor)
