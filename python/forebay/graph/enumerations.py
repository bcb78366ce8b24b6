"""Constants that are members of an enumeration, such as `types.INTERP_LINEAR`. Tensors hold their numbers as int32; which
enumeration they are of is known here, and told by the `dtype` of what the pipeline gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..element_types import DATA_TYPE, IMAGE_TYPE, INT32, INTERP_TYPE, DALIDataType, DALIImageType, DALIInterpType
from ..errors import WrongTypeError

if TYPE_CHECKING:
    from .values import Node

_TYPES: dict[type, DALIDataType] = {DALIDataType: DATA_TYPE, DALIImageType: IMAGE_TYPE, DALIInterpType: INTERP_TYPE}
_KEEPERS = frozenset({"_subscript", "copy", "expand_dims", "permute_batch", "reshape", "squeeze"})
"""Operators whose output has the elements of their input."""


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


def of(node: Node) -> DALIDataType | None:
    """The enumeration that a node's elements are of."""
    if node._pipeline is None:
        return None  # made by hand, which is said where it is used
    recipe_of = node._pipeline._known_recipe
    recipe = recipe_of(node._node)
    while recipe is not None and recipe.op in _KEEPERS:
        recipe = recipe_of(recipe.inputs[0][0])
    if recipe is None or recipe.op != "constant" or not _is_enumeration(recipe.constants.get("dtype")):
        return None
    return DALIDataType(recipe.constants["dtype"])


def check_is_number(node: Node) -> None:
    """TypeError for a node of an enumeration."""
    kind = of(node)
    if kind is not None:
        raise WrongTypeError(f"nothing can be computed of a node of {kind}; fn.cast makes numbers of it")
