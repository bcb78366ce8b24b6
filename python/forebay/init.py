"""Ways to fill parameters at first, as MXNet's ``mx.init``. What they draw comes from `forebay.nd.random`.

An initializer is called with the name of an array and the array. By the end of the name a bias or beta becomes 0, a
gamma or running variance 1, a running mean 0; weights are filled by the initializer's ``_init_weight(name, array)``,
which is what a class derived from `Initializer` defines. The array of a block's parameter is always filled so.

Xavier: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010. MSRAPrelu:
He et al., "Delving deep into rectifiers", 2015. Orthogonal: Saxe et al., "Exact solutions to the nonlinear dynamics of
learning in deep linear neural networks", 2013.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from . import nd
from .nd import NDArray

__all__ = [
    "Bilinear",
    "Constant",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "create",
    "register",
]


class InitDesc(str):
    """The name of an array, with attributes: "__init__" is an initializer that fills it whatever its name is."""

    attrs: dict[str, Any]

    def __new__(cls, name: str, attrs: Mapping[str, Any] | None = None, global_init: Any = None) -> InitDesc:
        made = super().__new__(cls, name)
        made.attrs = dict(attrs or {})
        return made


class Initializer:
    """Fills arrays. Keyword arguments are those that `dumps` writes."""

    def __init__(self, **arguments: Any) -> None:
        self._kwargs = arguments

    def dumps(self) -> str:
        """The initializer as text that `create` reads."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Initializer) and self._kwargs == other._kwargs

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, desc: str, arr: NDArray) -> None:
        own = desc.attrs.get("__init__") if isinstance(desc, InitDesc) else None
        if own:
            chosen = create(own)
            fill = chosen._init_weight if isinstance(chosen, Initializer) else chosen
            fill(desc, arr)
            return
        for ending, method in _BY_NAME.items():
            if desc.endswith(ending):
                getattr(self, method)(desc, arr)
                return
        self._init_default(desc, arr)

    def _init_weight(self, name: str, arr: NDArray) -> None:
        raise NotImplementedError(f"{type(self).__name__} defines no _init_weight(name, array)")

    def _init_zero(self, name: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_one(self, name: str, arr: NDArray) -> None:
        arr[:] = 1.0

    _init_bias = _init_zero
    _init_beta = _init_zero
    _init_gamma = _init_one

    def _init_default(self, name: str, arr: NDArray) -> None:
        raise ValueError(
            f"nothing is known of how to fill '{name}': names end with weight, bias, gamma, beta, running_mean or"
            " running_var, or the parameter has an initializer of its own"
        )


_BY_NAME = {
    "weight": "_init_weight",
    "bias": "_init_bias",
    "gamma": "_init_gamma",
    "beta": "_init_beta",
    "running_mean": "_init_zero",
    "moving_mean": "_init_zero",
    "running_var": "_init_one",
    "moving_var": "_init_one",
    "min": "_init_zero",
    "max": "_init_one",
}

_classes: dict[str, type[Initializer]] = {}


def register(kind: type[Initializer]) -> type[Initializer]:
    """Makes a class known to `create` by its name in small letters."""
    _classes[kind.__name__.lower()] = kind
    return kind


def create(initializer: Any, **arguments: Any) -> Callable[[str, NDArray], None]:
    """The initializer itself, or one by its name or its text of `dumps`. ValueError for unknown names."""
    if callable(initializer):
        return initializer  # type: ignore[no-any-return]
    name = str(initializer)
    if name.startswith("["):
        name, arguments = json.loads(name)
    kind = _classes.get(name.lower())
    if kind is None:
        raise ValueError(f"there is no initializer '{name}'; there are {', '.join(sorted(_classes))}")
    return kind(**arguments)


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


_classes["zeros"] = Zero
_classes["ones"] = One


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


class Mixed:
    """Each array by the initializer of the first pattern (a regular expression) that its name matches."""

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Initializer]) -> None:
        if len(patterns) != len(initializers):
            raise ValueError(f"{len(patterns)} patterns but {len(initializers)} initializers")
        self.map = [(re.compile(p), i) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: NDArray) -> None:
        for pattern, initializer in self.map:
            if pattern.match(name):
                initializer(str(name), arr)
                return
        raise ValueError(f"no pattern matches '{name}': add \".*\" as the last one")


class Load:
    """Values read from a file or given by name (prefixes ``arg:`` and ``aux:`` are dropped), others by
    ``default_init``."""

    def __init__(
        self,
        param: str | Mapping[str, NDArray],
        default_init: Initializer | None = None,
        verbose: bool = False,
    ) -> None:
        values = nd.load(param) if isinstance(param, str) else param
        if not isinstance(values, Mapping):
            raise ValueError(f"{param}: the arrays have no names")
        self.param = {re.sub("^(arg|aux):", "", name): value for name, value in values.items()}
        self.default_init = default_init

    def __call__(self, name: str, arr: NDArray) -> None:
        value = self.param.get(name)
        if value is None:
            if self.default_init is None:
                raise ValueError(f"there is no '{name}' among what was loaded, and no default_init")
            self.default_init(str(name), arr)
            return
        if value.shape != arr.shape:
            raise ValueError(f"'{name}' has the shape {arr.shape}, what was loaded {value.shape}")
        value.copyto(arr)


def _draw_uniform(arr: NDArray, scale: float) -> None:
    nd.random.uniform(-scale, scale, dtype=arr.dtype, out=arr)


def _draw_normal(arr: NDArray, scale: float) -> None:
    nd.random.normal(0.0, scale, dtype=arr.dtype, out=arr)
