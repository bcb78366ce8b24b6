"""``x[1, 2:, ::-1]``: a subscript as arguments of an operator."""

from __future__ import annotations

from typing import Any

from .value import Value, apply


def _is_all(part: Any) -> bool:
    if isinstance(part, slice):
        return part.start is None and part.stop is None and part.step is None
    return part is Ellipsis


def _bound(part: Any) -> Any:
    if isinstance(part, Value):
        return part
    if isinstance(part, bool) or not hasattr(part, "__index__"):
        kind = type(part).__name__
        raise TypeError(f"a subscript is an integer, a slice, '...' or a tensor of one integer, not {kind}")
    return part.__index__()


def _spread(parts: tuple[Any, ...], value: Value) -> list[Any]:
    """With ':' for each axis that '...' stands for."""
    places = [place for place, part in enumerate(parts) if part is Ellipsis]
    if not places:
        return list(parts)
    if len(places) > 1:
        raise ValueError("a subscript has at most one '...'")
    missing = value.ndim - (len(parts) - 1)
    if missing < 0:
        raise ValueError(f"{len(parts) - 1} subscripts for {value.ndim} dimensions")
    return [*parts[: places[0]], *[slice(None)] * missing, *parts[places[0] + 1 :]]


def subscript(value: Value, index: Any) -> Any:
    """``value[index]``, of each sample alike; parts that are batches have a number for each."""
    parts = index if isinstance(index, tuple) else (index,)
    if all(map(_is_all, parts)):
        return value
    arguments: dict[str, Any] = {}
    spread = _spread(parts, value)
    for axis, part in enumerate(spread):
        if isinstance(part, slice):
            bounds = {"lo": part.start, "hi": part.stop, "step": part.step}
            arguments.update({f"{key}_{axis}": _bound(bound) for key, bound in bounds.items() if bound is not None})
        else:
            arguments[f"at_{axis}"] = _bound(part)
    constants = {key: part for key, part in arguments.items() if not isinstance(part, Value)}
    tensors = {key: part for key, part in arguments.items() if isinstance(part, Value)}
    return apply("_subscript", [value], {**constants, "num_subscripts": len(spread)}, tensors)
