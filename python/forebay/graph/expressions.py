"""Nodes that stand for Python expressions: arithmetic, constants, subscripts, shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy as np

from ..element_types import BOOL, FLOAT, INT32, DALIDataType, to_dali_type, to_numpy_type
from ..enum_arguments import DTypeLike, element_type
from ..errors import UnfitError, WrongTypeError
from . import enumerations, scope
from .values import NewAxis, Node, Scalar, used

if TYPE_CHECKING:
    from .data_node import DataNode
    from .writer import GraphWriter


def is_node(value: Any) -> bool:
    return isinstance(value, Node)


def owner_of(values: Iterable[Any]) -> GraphWriter:
    """The graph that gets an operator of `values`: of the pipeline being written; without one, that of the first node
    among them."""
    current = scope.current()
    if current is not None:
        return current
    owner = next((value._pipeline for value in values if is_node(value)), None)
    return scope.require() if owner is None or owner._session is not None else owner


def constant_node(
    value: Any,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | int | None = None,
    layout: str | None = None,
) -> DataNode:
    """A node that gives `value` (a number, a nested list, an array) for every sample. Without `dtype`, Python integers
    are int32, floats float32, and 64-bit arrays become 32-bit ones, as in DALI."""
    pipeline = scope.require()
    if isinstance(value, Scalar):
        dtype = value.dtype if dtype is None else dtype
        value = value.value
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        shown = f"{type(value).__name__} {value[:20]!r}" if isinstance(value, (str, bytes)) else f"a {type(value).__name__}"
        raise UnfitError(f"{shown} is neither a DataNode nor can it become a constant: it is not of numbers")
    enumeration = enumerations.in_value(value)
    if dtype is not None:
        chosen = element_type("a constant's dtype", dtype)
    else:
        chosen = _type_of(value, array) if enumeration is None else enumeration
    extents = list(array.shape) if shape is None else [shape] if isinstance(shape, int) else list(shape)
    if array.dtype.kind == "f":
        content: dict[str, Any] = {"fdata": [float(item) for item in array.ravel()]}
    else:
        content = {"idata": [int(item) for item in array.ravel()]}
    constants = {**content, "shape": extents, "dtype": int(chosen), "layout": layout or ""}
    return pipeline._add("constant", [], constants)[0]


_NARROWER: dict[Any, Any] = {
    np.dtype(np.float64): np.float32, np.dtype(np.int64): np.int32, np.dtype(np.uint64): np.uint32,
}


def _narrowed(array: np.ndarray) -> Any:
    """The type of the constant made of `array`, with 64-bit types narrowed to 32 bits; OverflowError when a value does
    not fit."""
    narrow = _NARROWER.get(array.dtype, array.dtype)
    if array.dtype.kind in "iu" and array.size > 0:
        limits = np.iinfo(narrow)
        worst = array.min() if array.min() < limits.min else array.max()
        if not limits.min <= worst <= limits.max:
            raise OverflowError(f"the constant {worst} does not fit into {limits.dtype}; give types.Constant a `dtype`")
    return narrow


def _type_of(value: Any, array: np.ndarray) -> DALIDataType:
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return to_dali_type(array.dtype)
    if isinstance(value, np.ndarray):
        return to_dali_type(_narrowed(array))
    if array.dtype.kind == "b":
        return BOOL
    return FLOAT if array.dtype.kind == "f" else INT32


def as_node(value: Any) -> DataNode:
    """`value` itself when it is a node, else a constant."""
    if is_node(used(value)):
        node: DataNode = value
        return node
    batch = scope.require()._batch_node(value)
    return constant_node(value) if batch is None else batch


def _check_fits(constant: Scalar) -> None:
    """OverflowError for an integer outside of its type, with which nothing can be computed; as a tensor it saturates."""
    limits = np.iinfo(to_numpy_type(constant.dtype)) if type(constant.value) is int else None
    if limits is not None and not limits.min <= constant.value <= limits.max:
        raise OverflowError(f"the constant {constant.value} does not fit into {limits.dtype}")


def arithmetic(op: str, *operands: Any) -> DataNode:
    """One operation of an expression. At least one operand is a node, or a pipeline is being written."""
    for operand in operands:
        if operand is None or isinstance(operand, (str, bytes)):
            raise TypeError(f"'{op}' cannot be computed of a DataNode and {operand!r}")
        if isinstance(operand, Scalar):
            _check_fits(operand)
    pipeline = owner_of(operands)
    with pipeline._writing():
        nodes = [as_node(operand) for operand in operands]
        return pipeline._add("_arithmetic", nodes, {"op": op})[0]


def shape(node: DataNode, dtype: DTypeLike | None) -> DataNode:
    constants = {} if dtype is None else {"dtype": int(element_type("shape: dtype", dtype))}
    return owner_of([node])._add("shapes", [node], constants)[0]


def property_of(node: DataNode, key: str) -> DataNode:
    return owner_of([node])._add("get_property", [node], {"key": key})[0]


def subscript(node: DataNode, index: Any) -> DataNode:
    """``node[index]``: indices and slices whose parts are numbers or scalar nodes, and `newaxis`."""
    pipeline = owner_of([node])
    parts = index if isinstance(index, tuple) else (index,)
    arguments: dict[str, Any] = {}
    new_axes: list[int] = []
    new_names: list[str] = []
    source_axis = 0
    output_axis = 0
    for part in parts:
        if isinstance(part, NewAxis):
            new_axes.append(output_axis)
            new_names.extend([] if part.name is None else [part.name])
            output_axis += 1
            continue
        keeps_axis = part is None or isinstance(part, slice)
        arguments.update(_axis_arguments(source_axis, part))
        source_axis += 1
        output_axis += keeps_axis
    if new_names and len(new_names) != len(new_axes):
        raise ValueError("either all new axes have names, or none")
    result = node
    if arguments or source_axis > 0:
        constants = {"num_subscripts": source_axis}
        constants.update({key: value for key, value in arguments.items() if not is_node(value)})
        tensors = {key: value for key, value in arguments.items() if is_node(value)}
        result = pipeline._add("_subscript", [node], constants, tensors)[0]
    if new_axes:
        names = {"new_axis_names": "".join(new_names)} if new_names else {}
        result = pipeline._add("expand_dims", [result], {"axes": new_axes, **names})[0]
    return result


def _axis_arguments(axis: int, part: Any) -> dict[str, Any]:
    if part is None:
        return {}
    if part is Ellipsis:
        raise NotImplementedError("'...' in the subscript of a DataNode is not offered; name the axes with ':'")
    if isinstance(part, slice):
        bounds = {"lo": part.start, "hi": part.stop, "step": part.step}
        return {f"{key}_{axis}": _bound(value) for key, value in bounds.items() if value is not None}
    return {f"at_{axis}": _bound(part)}


def _bound(value: Any) -> Any:
    if is_node(value):
        return value
    if isinstance(value, Scalar):
        value = value.value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"a subscript of a DataNode is an integer or a DataNode, not {type(value).__name__}")
    try:
        return int(value)
    except TypeError as error:
        shape = getattr(value, "shape", ())
        raise WrongTypeError(f"a subscript of a DataNode is one integer, not an array of shape {shape}") from error
