"""AutoAugment, RandAugment, TrivialAugmentWide and AugMix, with torchvision's operations and magnitudes.

Which operations a sample gets, and how much of each, are numbers looked up in tables; fn.experimental.augment does
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Sequence

import numpy as np

from .. import fn, math
from ..graph.data_node import DataNode
from ..graph.expressions import constant_node
from ..types import DALIDataType
from .checks import fill_values
from .colors import OPERATIONS, augmented
from .draws import Draws
from .interpolation import InterpolationMode, warp_filter
from .picture import Picture
from .policy_tables import POLICIES
from .sizes import vector
from .transform import Transform

__all__ = ["AugMix", "AutoAugment", "AutoAugmentPolicy", "RandAugment", "TrivialAugmentWide"]


class AutoAugmentPolicy(Enum):
    """Which policies were searched on which data."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


@dataclass(frozen=True)
class Magnitude:
    """The amounts of one operation over its bins: ``base + sign * (amount + part * extent)``; the sign is random if
    `is_signed`, and the extent the width or height that `along` names."""

    operation: str
    amounts: Sequence[float] = (0.0,)
    base: float = 0.0
    is_signed: bool = False
    parts: Sequence[float] = (0.0,)
    along: str = ""

    def row(self, bin: int) -> list[float]:
        """What a table has of it: operation, base, amount, whether signed, part of the width, part of the height."""
        amount = self.amounts[min(bin, len(self.amounts) - 1)]
        part = self.parts[min(bin, len(self.parts) - 1)]
        by_axis = [part if self.along == axis else 0.0 for axis in ("width", "height")]
        return [float(OPERATIONS[self.operation]), self.base, amount, float(self.is_signed), *by_axis]


def _line(first: float, last: float, bins: int) -> list[float]:
    return [float(value) for value in np.linspace(first, last, bins, dtype=np.float32)]


def _bits(most: int, fewer: int, bins: int) -> list[float]:
    return [float(value) for value in np.round(most - np.arange(bins) / ((bins - 1) / fewer))]


def _space(
    bins: int, shear: float, degrees: float, factor: float, bits: tuple[int, int], part: float = 0.0, pixels: float = 0.0
) -> dict[str, Magnitude]:
    """The operations that all policies share. Translations are a part of the extent, or pixels."""
    space = {name: Magnitude(name, _line(0, shear, bins), is_signed=True) for name in ("shear_x", "shear_y")}
    for name, along in (("translate_x", "width"), ("translate_y", "height")):
        space[name] = Magnitude(
            name, _line(0, pixels, bins), is_signed=True, parts=_line(0, part, bins), along=along
        )
    space["rotate"] = Magnitude("rotate", _line(0, degrees, bins), is_signed=True)
    for name in ("brightness", "saturation", "contrast", "sharpness"):
        space[name] = Magnitude(name, _line(0, factor, bins), base=1.0, is_signed=True)
    space["posterize"] = Magnitude("posterize", _bits(*bits, bins))
    space["solarize"] = Magnitude("solarize", [255.0 * value for value in _line(1, 0, bins)])
    for name in ("autocontrast", "equalize"):
        space[name] = Magnitude(name)
    return space


class _Policy(Transform):
    """What the policies share: their warps, and how rows of tables are done."""

    def __init__(self, interpolation: Any, fill: Any) -> None:
        values = fill_values(fill)
        if len(set(values)) != 1:
            raise ValueError(f"{type(self).__name__}: fill={fill!r} must be one number")
        self.interpolation = interpolation
        self.fill = fill
        self._fill = values[0]
        self._filter = warp_filter(interpolation)

    def _drawn(self, draws: Draws, what: str, row: DataNode, picture: Picture) -> tuple[Any, Any]:
        """The operation and amount of one row of a table."""
        sign = 1.0 - 2.0 * row[3] * draws.coin(f"sign{what}", 0.5)
        extent = row[4] * picture.width + row[5] * picture.height
        return fn.cast(row[0], dtype=DALIDataType.INT32), row[1] + sign * (row[2] + extent)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        if picture.is_float:
            raise TypeError(f"{type(self).__name__} takes bytes: put it before ToTensor()")
        operations, amounts = zip(*drawn)
        return augmented(
            picture, vector(operations, DALIDataType.INT32), vector(amounts, DALIDataType.FLOAT),
            fill=self._fill, filter=self._filter,
        )


def _table(rows: Sequence[Any]) -> DataNode:
    return constant_node(np.asarray(rows, np.float32))


class RandAugment(_Policy):
    """`num_ops` random operations, all with the magnitude `magnitude` of `num_magnitude_bins`."""

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Any = InterpolationMode.NEAREST,
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation, fill)
        if num_ops < 0 or not 0 <= magnitude < num_magnitude_bins or num_magnitude_bins < 2:
            raise ValueError("RandAugment: num_ops must be 0 or more, and magnitude a bin of num_magnitude_bins")
        self.num_ops = num_ops
        self.magnitude = magnitude
        self.num_magnitude_bins = num_magnitude_bins
        self._space = {"nothing": Magnitude("nothing")}
        self._space |= _space(num_magnitude_bins, 0.3, 30.0, 0.9, (8, 4), part=150.0 / 331.0)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        table = _table([magnitude.row(self.magnitude) for magnitude in self._space.values()])
        chosen = [draws.below(f"operation{i}", len(self._space)) for i in range(self.num_ops)]
        return [self._drawn(draws, str(i), table[number], picture) for i, number in enumerate(chosen)]

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return super().apply(picture, drawn) if drawn else picture


class TrivialAugmentWide(_Policy):
    """One random operation of a random magnitude."""

    def __init__(
        self, num_magnitude_bins: int = 31, interpolation: Any = InterpolationMode.NEAREST, fill: Any = None
    ) -> None:
        super().__init__(interpolation, fill)
        if num_magnitude_bins < 2:
            raise ValueError(f"num_magnitude_bins={num_magnitude_bins!r} must be at least 2")
        self.num_magnitude_bins = num_magnitude_bins
        self._space = {"nothing": Magnitude("nothing")}
        self._space |= _space(num_magnitude_bins, 0.99, 135.0, 0.99, (8, 6), pixels=32.0)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        bins = range(self.num_magnitude_bins)
        table = _table([[magnitude.row(bin) for bin in bins] for magnitude in self._space.values()])
        number = draws.below("operation", len(self._space))
        return [self._drawn(draws, "", table[number][draws.below("magnitude", len(bins))], picture)]


class AutoAugment(_Policy):
    """The two operations of a random one of 25 pairs that a search found, each with a probability of its own."""

    def __init__(
        self,
        policy: AutoAugmentPolicy | str = AutoAugmentPolicy.IMAGENET,
        interpolation: Any = InterpolationMode.NEAREST,
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation, fill)
        self.policy = AutoAugmentPolicy(getattr(policy, "value", policy))
        space = _space(10, 0.3, 30.0, 0.9, (8, 4), part=150.0 / 331.0)
        space["invert"] = Magnitude("invert")
        self._rows = [
            [[*space[name].row(bin), p] for name, p, bin in steps] for steps in POLICIES[self.policy.value]
        ]

    def draw(self, draws: Draws, picture: Picture) -> Any:
        pair = _table(self._rows)[draws.below("policy", len(self._rows))]
        steps = []
        for number in range(2):
            row = pair[number]
            operation, amount = self._drawn(draws, str(number), row, picture)
            applies = fn.cast(draws.part(f"applies{number}") < row[6], dtype=DALIDataType.INT32)
            steps.append((operation * applies, amount))
        return steps


class AugMix(_Policy):
    """A mix of the image and of chains of random operations on it.

    :param severity: how many magnitudes of 10 there are, 1 to 10.
    :param mixture_width: chains.
    :param chain_depth: operations in a chain; below 1: 1 to 3, at random.
    :param alpha: of the weights' Dirichlet distributions.
    :param all_ops: whether brightness, contrast, saturation and sharpness are among the operations.
    """

    def __init__(
        self,
        severity: int = 3,
        mixture_width: int = 3,
        chain_depth: int = -1,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: Any = InterpolationMode.BILINEAR,
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation, fill)
        if not 1 <= severity <= 10 or mixture_width < 1 or not alpha > 0:
            raise ValueError("AugMix: severity must be 1 to 10, mixture_width 1 or more, and alpha positive")
        self.severity = severity
        self.mixture_width = mixture_width
        self.chain_depth = chain_depth
        self.alpha = alpha
        self.all_ops = all_ops
        space = _space(10, 0.3, 30.0, 0.9, (4, 4), part=1.0 / 3.0)
        factors = () if all_ops else ("brightness", "contrast", "saturation", "sharpness")
        self._space = {name: magnitude for name, magnitude in space.items() if name not in factors}

    def draw(self, draws: Draws, picture: Picture) -> Any:
        bins = range(self.severity)
        table = _table([[magnitude.row(bin) for bin in bins] for magnitude in self._space.values()])
        chains = [self._chain(draws.at(f"chain{i}"), table, picture) for i in range(self.mixture_width)]
        return self._weights(draws), chains

    def _chain(self, draws: Draws, table: DataNode, picture: Picture) -> list[tuple[Any, Any]]:
        most = self.chain_depth if self.chain_depth > 0 else 3
        depth = None if self.chain_depth > 0 else draws.below("depth", 3)
        steps = []
        for number in range(most):
            rows = table[draws.below(f"operation{number}", len(self._space))]
            row = rows[draws.below(f"magnitude{number}", self.severity)]
            operation, amount = self._drawn(draws, str(number), row, picture)
            if depth is not None and number > 0:
                operation = operation * fn.cast(depth >= number, dtype=DALIDataType.INT32)
            steps.append((operation, amount))
        return steps

    def _weights(self, draws: Draws) -> list[DataNode]:
        """Of the image and of each chain. A Dirichlet distribution by parts of what is left, each of a beta
        distribution."""
        mixed = fn.random.beta(alpha=self.alpha, beta=self.alpha, name=draws.name("mix"))
        weights, left = [1.0 - mixed], mixed
        for number in range(self.mixture_width - 1):
            others = self.mixture_width - 1 - number
            part = fn.random.beta(alpha=self.alpha, beta=self.alpha * others, name=draws.name(f"weight{number}"))
            weights.append(left * part)
            left = left * (1.0 - part)
        return [*weights, left]

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        weights, chains = drawn
        image = picture.in_layout("HWC")
        mix = image.pixels * weights[0]
        for weight, chain in zip(weights[1:], chains):
            mix = mix + super().apply(image, chain).pixels * weight
        return image.with_pixels(fn.cast(math.floor(mix), dtype=DALIDataType.UINT8))
