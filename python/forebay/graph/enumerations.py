"""Constants that are members of an enumeration, such as `types.INTERP_LINEAR`. Tensors hold their numbers as int32; which
enumeration they are of is known here, and told by the `dtype` of what the pipeline gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from ..element_types import DATA_TYPE, IMAGE_TYPE, INT32, INTERP_TYPE, DALIDataType, DALIImageType, DALIInterpType
from ..errors import WrongTypeError
from .values import Node

if TYPE_CHECKING:
    from .writer import Recipe

_TYPES: dict[type, DALIDataType] = {DALIDataType: DATA_TYPE, DALIImageType: IMAGE_TYPE, DALIInterpType: INTERP_TYPE}
_KEEPERS = frozenset(
    "_copy_to_device _copy_to_host _merge _subscript copy expand_dims permute_batch random.choice reshape squeeze".split()
)
"""Operators whose output has the elements of their input."""
_MAKE_NUMBERS = frozenset({"cast", "cast_like", "get_property", "python_function", "reinterpret", "shapes"})
"""Operators that give something else of them."""


def in_value(value: Any) -> DALIDataType | None:
    """The enumeration of a member, or of a list of members of one; None for other values."""
    if type(value) in _TYPES:
        return _TYPES[type(value)]
    if not isinstance(value, (list, tuple)) or not any(type(item) in _TYPES for item in value):
        return None
    kinds = {type(item) for item in value}
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"a constant is of one enumeration, not of {names}")
    return _TYPES[kinds.pop()]


def _is_enumeration(dtype: Any) -> bool:
    return dtype in _TYPES.values()


def stored(constants: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an operator as the graph has them."""
    return {**constants, "dtype": int(INT32)} if _is_enumeration(constants.get("dtype")) else constants


def made_by(recipe: Recipe, known: Mapping[int, DALIDataType]) -> DALIDataType | None:
    """The enumeration that the elements of the operator's output are of. TypeError where it would compute with some.

    :param known: those of the operators before.
    """
    if recipe.op == "constant":
        dtype: Any = recipe.constants.get("dtype")
        return DALIDataType(dtype) if _is_enumeration(dtype) else None
    kinds = [known[node] for node, _ in recipe.inputs if node in known]
    if not kinds:
        return None
    if recipe.op in _KEEPERS:
        return kinds[0]
    if recipe.op not in _MAKE_NUMBERS:
        name = "arithmetic" if recipe.op == "_arithmetic" else recipe.op.lstrip("_")
        raise WrongTypeError(f"{name}: nothing can be computed of a node of {kinds[0]}; fn.cast makes numbers of it")
    return None


def of(value: Any) -> DALIDataType | None:
    """The enumeration that a node's elements are of, or a constant is."""
    if not isinstance(value, Node):
        return in_value(value)
    return None if value._pipeline is None else value._pipeline._enumerations.get(value._node)
