"""Initializers that draw random values.

Xavier: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010. MSRAPrelu:
He et al., "Delving deep into rectifiers", 2015. Orthogonal: Saxe et al., "Exact solutions to the nonlinear dynamics of
learning in deep linear neural networks", 2013.
"""

from __future__ import annotations

import math

import numpy

from .. import nd
from ..nd import NDArray
from .base import Initializer, register


@register
class Uniform(Initializer):
    """Uniform in [-scale, scale)."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name: str, arr: NDArray) -> None:
        _draw_uniform(arr, self.scale)


@register
class Normal(Initializer):
    """Normal with mean 0."""

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name: str, arr: NDArray) -> None:
        _draw_normal(arr, self.sigma)


@register
class Xavier(Initializer):
    """Keeps the scale of activations or gradients: random values of variance magnitude / 3 / f ("uniform") or
    magnitude / f ("gaussian"), where f is the number of inputs ("in") or outputs ("out") of a unit, or their mean
    ("avg")."""

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3) -> None:
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        shape = arr.shape
        if len(shape) < 2:
            raise ValueError(f"Xavier cannot fill '{name}': the shape {shape} has fewer than two axes")
        field = math.prod(shape[2:])
        factors = {"in": shape[1] * field, "out": shape[0] * field, "avg": (shape[0] + shape[1]) * field / 2}
        if self.factor_type not in factors:
            raise ValueError(f"factor_type is 'in', 'out' or 'avg', not '{self.factor_type}'")
        scale = math.sqrt(self.magnitude / factors[self.factor_type])
        if self.rnd_type == "uniform":
            _draw_uniform(arr, scale)
        elif self.rnd_type == "gaussian":
            _draw_normal(arr, scale)
        else:
            raise ValueError(f"rnd_type is 'uniform' or 'gaussian', not '{self.rnd_type}'")


@register
class MSRAPrelu(Xavier):
    """For layers followed by a (leaky) ReLU of that slope."""

    def __init__(self, factor_type: str = "avg", slope: float = 0.25) -> None:
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Orthogonal(Initializer):
    """Orthogonal rows (or columns, where there are more rows), times ``scale``."""

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name: str, arr: NDArray) -> None:
        rows = arr.shape[0]
        columns = math.prod(arr.shape[1:])
        drawn = nd.zeros((rows, columns), dtype="float64")
        if self.rand_type == "uniform":
            _draw_uniform(drawn, 1.0)
        else:
            _draw_normal(drawn, 1.0)
        u, _, v = numpy.linalg.svd(drawn.asnumpy(), full_matrices=False)
        chosen = u if u.shape == (rows, columns) else v
        arr[:] = nd.array((self.scale * chosen).reshape(arr.shape), dtype=arr.dtype)


def _draw_uniform(arr: NDArray, scale: float) -> None:
    nd.random.uniform(-scale, scale, dtype=arr.dtype, out=arr)


def _draw_normal(arr: NDArray, scale: float) -> None:
    nd.random.normal(0.0, scale, dtype=arr.dtype, out=arr)
