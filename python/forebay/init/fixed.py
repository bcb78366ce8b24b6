"""Initializers that draw nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy

from .. import nd
from ..nd import NDArray
from .base import Initializer, classes, register


@register
class Constant(Initializer):
    """A number, or the values of an array."""

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name: str, arr: NDArray) -> None:
        arr[:] = self.value


@register
class Zero(Constant):
    def __init__(self) -> None:
        super().__init__(0.0)
        self._kwargs = {}


@register
class One(Constant):
    def __init__(self) -> None:
        super().__init__(1.0)
        self._kwargs = {}


classes["zeros"] = Zero
classes["ones"] = One


@register
class Bilinear(Initializer):
    """The weights of upsampling by interpolation between neighbours, for transposed convolutions."""

    def _init_weight(self, name: str, arr: NDArray) -> None:
        factor = math.ceil(arr.shape[3] / 2)
        centre = (2 * factor - 1 - factor % 2) / (2 * factor)
        columns, rows = (1 - numpy.abs(numpy.arange(extent) / factor - centre) for extent in (arr.shape[3], arr.shape[2]))
        arr[:] = nd.array(numpy.broadcast_to(numpy.outer(rows, columns), arr.shape), dtype=arr.dtype)


@register
class LSTMBias(Initializer):
    """Zeros, but for the forget gate's quarter."""

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name: str, arr: NDArray) -> None:
        quarter = arr.shape[0] // 4
        arr[:] = 0.0
        arr[quarter : 2 * quarter] = self.forget_bias
