"""Initializers chosen by the name of an array."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .. import nd
from ..nd import NDArray
from .base import Initializer


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
