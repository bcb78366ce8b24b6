"""Enumerations as arguments: members, their numbers, their names in any case, and for element types also those of NumPy,
PyTorch and other libraries."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import numpy as np

from .element_types import NO_TYPE, DALIDataType, DALIImageType, DALIInterpType, is_of_tensors, to_dali_type
from .errors import InvalidError, WrongTypeError
from .suggestions import did_you_mean

__all__ = [
    "DTypeLike", "ENUMS", "ImageTypeLike", "InterpTypeLike", "LIKES", "element_type", "enum_number", "image_type",
    "interp_type",
]


class _TorchType(Protocol):
    """PyTorch's types."""

    @property
    def is_floating_point(self) -> bool: ...


class _DynamicType(Protocol):
    """Those of dynamic mode."""

    @property
    def type_id(self) -> DALIDataType | None: ...


DTypeLike = (
    DALIDataType | str | np.dtype[Any] | type[np.generic] | type[bool] | type[int] | type[float] | _TorchType
    | _DynamicType
)
"""An element type: of `types`, NumPy or PyTorch, Python's bool, int (64 bits) or float (32 bits), or a name."""
ImageTypeLike = DALIImageType | str
"""A colour space, or its name."""
InterpTypeLike = DALIInterpType | str
"""A filter, or its name."""

ENUMS = {"DALIDataType": DALIDataType, "DALIImageType": DALIImageType, "DALIInterpType": DALIInterpType}
"""By the kinds of arguments in the operator table."""
LIKES = {"DALIDataType": "DTypeLike", "DALIImageType": "ImageTypeLike", "DALIInterpType": "InterpTypeLike"}
"""What is taken for them: names of this module."""

_FILTERS = {
    **{member.name.removeprefix("INTERP_").lower(): member for member in DALIInterpType},
    "nearest": DALIInterpType.INTERP_NN,
    "bilinear": DALIInterpType.INTERP_LINEAR,
    "bicubic": DALIInterpType.INTERP_CUBIC,
}
_COLOURS = {member.name.lower(): member for member in DALIImageType}
_ELEMENTS = (
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
)

_Member = TypeVar("_Member", DALIDataType, DALIImageType, DALIInterpType)


def _refusal(argument: str, value: Any, what: str, names: Mapping[str, Any] | tuple[str, ...]) -> Exception:
    listed = ", ".join(names)
    if not isinstance(value, str):
        kind = InvalidError if _is_number(value) else WrongTypeError
        return kind(f"{argument}={value!r} is no {what}; give one of `types`, or a name: {listed}")
    return InvalidError(f"{argument}={value!r} names no {what}{did_you_mean(value.lower(), names)}; the names are {listed}")


def _named(argument: str, value: Any, what: str, kind: type[_Member], names: Mapping[str, _Member]) -> _Member:
    if isinstance(value, kind):
        return value
    if isinstance(value, str):
        found = names.get(value.lower().removeprefix("interp_"))
        if found is not None:
            return found
    raise _refusal(argument, value, what, names)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, *ENUMS.values()))


def _element_type_of(value: Any) -> DALIDataType:
    """TypeError or ValueError where `value` says none."""
    if isinstance(value, DALIDataType):
        return value
    if _is_number(value):
        return DALIDataType(operator.index(value))
    of_dynamic_mode = getattr(value, "type_id", None)
    if isinstance(of_dynamic_mode, DALIDataType):
        return of_dynamic_mode
    if value is None or isinstance(value, (bool, int)):
        raise TypeError
    return NO_TYPE if isinstance(value, str) and value.upper() == NO_TYPE.name else to_dali_type(value)


def element_type(argument: str, value: Any) -> DALIDataType:
    """The element type that `value` says: one that tensors can have, or NO_TYPE. `argument` is named in errors."""
    try:
        found = _element_type_of(value)
    except (TypeError, ValueError):
        raise _refusal(argument, value, "element type", _ELEMENTS) from None
    if found != NO_TYPE and not is_of_tensors(found):
        raise _refusal(argument, value, "element type of tensors", _ELEMENTS)
    return found


def image_type(argument: str, value: Any) -> DALIImageType:
    """The colour space that `value` says."""
    return _named(argument, value, "colour space", DALIImageType, _COLOURS)


def interp_type(argument: str, value: Any) -> DALIInterpType:
    """The filter that `value` says."""
    return _named(argument, value, "filter", DALIInterpType, _FILTERS)


_MAKERS: dict[str, Callable[[str, Any], int]] = {
    "DALIDataType": element_type, "DALIImageType": image_type, "DALIInterpType": interp_type,
}


def enum_number(kind: str, argument: str, value: Any) -> int:
    """An argument of an enumeration as operators take it. Plain numbers stay what they are: whether an operator has
    such a one is its own to say."""
    return operator.index(value) if _is_number(value) else int(_MAKERS[kind](argument, value))
