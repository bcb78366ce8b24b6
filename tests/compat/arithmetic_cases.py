"""Cases: arithmetic between every two types, with constants, and functions of `math`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.math as math
import nvidia.dali.types as types

from catalogue import Group
from pipelines import run

case = Group("arithmetic")

TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()
LEFT = [[1, 5, 7], [9, 2, 4], [0, 1, 3]]
RIGHT = [[2, 3, 1], [4, 7, 2], [1, 5, 6]]
OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "pow": operator.pow,
    "lt": operator.lt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "mod": operator.mod,
}
CONSTANTS = {
    "3": 3,
    "-2": -2,
    "2.5": 2.5,
    "True": True,
    "np.int16(3)": np.int16(3),
    "np.float32(1.5)": np.float32(1.5),
    "Constant(3, UINT8)": types.Constant(3, types.UINT8),
    "Constant(2.0, FLOAT64)": types.Constant(2.0, types.FLOAT64),
}
UNARY = {"neg": operator.neg, "pos": operator.pos, "abs": abs, "invert": operator.invert}
FUNCTIONS = (
    """abs fabs floor ceil sqrt rsqrt cbrt exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh
atanh""".split()
)


def left(dtype: str) -> Any:
    return fn.external_source(source=lambda: [np.array(values).astype(dtype) for values in LEFT])


def right(dtype: str) -> Any:
    return fn.external_source(source=lambda: [np.array(values).astype(dtype) for values in RIGHT])


def _kind(error: Exception) -> str:
    kinds = "TypeError", "ValueError", "RuntimeError"
    return "raises " + next(kind.__name__ for kind in type(error).__mro__ if kind.__name__ in (*kinds, "object"))


def each(expressions: dict[str, Any]) -> dict[str, Any]:
    """What each expression gives, or raises; in one pipeline, where it can be built."""
    results: dict[str, Any] = {}
    nodes: dict[str, Any] = {}

    def body() -> Any:
        for name, expression in expressions.items():
            try:
                nodes[name] = expression()
            except Exception as error:
                results[name] = _kind(error)
        return tuple(nodes.values())

    try:
        return results | dict(zip(nodes, run(body)))
    except Exception:
        return {name: _alone(expression) for name, expression in expressions.items()}


def _alone(expression: Any) -> Any:
    try:
        return run(expression)[0]
    except Exception as error:
        return _kind(error)


def between_types(apply: Any, left_type: str) -> dict[str, Any]:
    return each({name: lambda name=name: apply(left(left_type), right(name)) for name in TYPES})


def with_constants(apply: Any, dtype: str) -> dict[str, Any]:
    # Numbers are not shifted by less than nothing: what that gives is up to the processor.
    constants = {n: c for n, c in CONSTANTS.items() if n != "-2" or apply not in (operator.lshift, operator.rshift)}
    on_the_right = {
        f"node, {name}": lambda value=value: apply(left(dtype), value) for name, value in constants.items()
    }
    on_the_left = {
        f"{name}, node": lambda value=value: apply(value, left(dtype)) for name, value in constants.items()
    }
    return each(on_the_right | on_the_left)


def of_types(apply: Any) -> dict[str, Any]:
    return each({name: lambda name=name: apply(left(name)) for name in TYPES})


def of_pairs(apply: Any) -> dict[str, Any]:
    pairs = [(one, other) for one in ("bool", "uint8", "float32") for other in ("int8", "uint32", "float64")]
    return each({f"{a}, {b}": lambda a=a, b=b: apply(left(a), right(b)) for a, b in pairs})


for _name, _apply in OPERATORS.items():
    for _type in ("bool", "uint8", "float32"):
        case.add(f"{_name}_{_type}_and_all", lambda apply=_apply, dtype=_type: between_types(apply, dtype))
    for _type in ("uint8", "float32"):
        case.add(f"{_name}_{_type}_and_constants", lambda apply=_apply, dtype=_type: with_constants(apply, dtype))
case.table({f"{name}_of_all": lambda apply=apply: of_types(apply) for name, apply in UNARY.items()})
case.table({f"math_{name}": lambda name=name: of_types(getattr(math, name)) for name in FUNCTIONS})
case.table(
    {
        f"math_{name}": lambda name=name: of_pairs(getattr(math, name))
        for name in ("min", "max", "pow", "fpow", "atan2")
    }
)
