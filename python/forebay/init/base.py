"""The base of initializers, and finding them by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ..nd import NDArray


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

classes: dict[str, type[Initializer]] = {}


def register(kind: type[Initializer]) -> type[Initializer]:
    """Makes a class known to `create` by its name in small letters."""
    classes[kind.__name__.lower()] = kind
    return kind


def create(initializer: Any, **arguments: Any) -> Callable[[str, NDArray], None]:
    """The initializer itself, or one by its name or its text of `dumps`. ValueError for unknown names."""
    if callable(initializer):
        return initializer  # type: ignore[no-any-return]
    name = str(initializer)
    if name.startswith("["):
        name, arguments = json.loads(name)
    kind = classes.get(name.lower())
    if kind is None:
        raise ValueError(f"there is no initializer '{name}'; there are {', '.join(sorted(classes))}")
    return kind(**arguments)
