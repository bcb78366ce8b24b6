"""Which keyword arguments augmentations take, need, and leave unused."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Iterable, Mapping

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
TAKEN_BY_POSITION = 2
"""The samples and the parameter."""


class MissingArgException(TypeError):
    """An augmentation was called without arguments that it needs."""

    def __init__(self, message: str, augmentation: Any, missing_args: list[str]) -> None:
        super().__init__(message)
        self.augmentation = augmentation
        self.missing_args = missing_args


class UnusedArgException(TypeError):
    """Arguments were given that none of the augmentations takes."""

    def __init__(self, message: str, unused_args: list[str]) -> None:
        super().__init__(message)
        self.unused_args = unused_args


def positional_count(function: Callable[..., Any]) -> int:
    """How many arguments can be given by position."""
    return sum(parameter.kind in _POSITIONAL for parameter in inspect.signature(function).parameters.values())


def _named(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters behind the samples and the parameter of the augmentation that have a name to give them by."""
    parameters = list(inspect.signature(function).parameters.values())
    behind = [
        parameter
        for place, parameter in enumerate(parameters)
        if place >= TAKEN_BY_POSITION or parameter.kind not in _POSITIONAL
    ]
    return [parameter for parameter in behind if parameter.kind in _NAMED]


def taken(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `arguments` that the function takes."""
    names = {parameter.name for parameter in _named(function)}
    return {name: value for name, value in arguments.items() if name in names}


def missing(function: Callable[..., Any], arguments: Mapping[str, Any]) -> list[str]:
    """The arguments without a default that are not given."""
    needed = [parameter.name for parameter in _named(function) if parameter.default is inspect.Parameter.empty]
    return [name for name in needed if name not in arguments]


def refuse_unused(augmentations: Iterable[Any], arguments: Mapping[str, Any], caller: str) -> None:
    """UnusedArgException where no augmentation takes one of `arguments`."""
    used: set[str] = set()
    for augmentation in augmentations:
        used.update(taken(augmentation.op, arguments))
    unused = [name for name in arguments if name not in used]
    if unused:
        noun, verb = ("argument", "is") if len(unused) == 1 else ("arguments", "are")
        names = ", ".join(unused)
        raise UnusedArgException(f"{caller}: the {noun} `{names}` {verb} not used by any of the augmentations", unused)
