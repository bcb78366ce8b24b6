"""Warnings of names and arguments that scripts should no longer use."""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping

from ..caller_warnings import warn

__all__ = ["arguments_of", "under_old_name", "warn", "warn_of_operator", "warn_of_seed"]

_WITHOUT_EFFECT = {
    "image_type": {"crop", "crop_mirror_normalize", "resize", "slice"},
    "memory_stats": {"decoders.image", "decoders.image_crop", "decoders.image_random_crop", "decoders.image_slice"},
}
_WITHOUT_EFFECT["split_stages"] = _WITHOUT_EFFECT["use_chunk_allocator"] = _WITHOUT_EFFECT["memory_stats"]
"""Arguments that DALI has given up, and the operators that still take them."""


_GIVEN_UP = {
    "fast_resize_crop_mirror": "Use `fn.resize_crop_mirror` instead.",
    "readers.sequence": "It may be removed.",
    "shapes": "Use `DataNode.shape()` instead.",
    "ssd_random_crop": "Use `fn.random_bbox_crop` instead.",
}
"""Operators that DALI has given up, and what it says of each."""


def arguments_of(name: str, parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """What is said of the operator's arguments that should no longer be used."""
    said = {}
    for argument, parameter in parameters.items():
        newer = parameter["newer_name"]
        if newer:
            said[argument] = f"The argument `{argument}` is a deprecated alias for `{newer}`. Use `{newer}` instead."
        elif name in _WITHOUT_EFFECT.get(argument, ()):
            said[argument] = f"The argument `{argument}` of fn.{name} is no longer used; leave it out."
    return said


def warn_of_operator(name: str) -> None:
    """Warns where DALI has given up the operator."""
    if name in _GIVEN_UP:
        warn(f"`fn.{name}` is now deprecated. {_GIVEN_UP[name]}")


def warn_of_seed(name: str) -> None:
    """Warns of a seed for an operator that draws nothing."""
    warn(f"fn.{name} draws no random numbers: leave out its `seed`.")


def under_old_name(old: str, new: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which warns when it is called by its older name."""

    @functools.wraps(function)
    def call(*inputs: Any, **arguments: Any) -> Any:
        warn(f"`fn.{old}` is now deprecated. Use `fn.{new}` instead.")
        return function(*inputs, **arguments)

    return call
