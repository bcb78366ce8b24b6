"""Functions of DataNodes, element by element. Given a DataNode they add a node; they compute in float unless the name
is one of abs, min, max, clamp, pow, which keep the type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .graph.expressions import arithmetic as _apply

if TYPE_CHECKING:
    from .graph.data_node import DataNode


def sqrt(input: Any) -> DataNode:
    return _apply("sqrt", input)


def rsqrt(input: Any) -> DataNode:
    """1 / sqrt(input)"""
    return _apply("rsqrt", input)


def cbrt(input: Any) -> DataNode:
    return _apply("cbrt", input)


def exp(input: Any) -> DataNode:
    return _apply("exp", input)


def log(input: Any) -> DataNode:
    return _apply("log", input)


def log2(input: Any) -> DataNode:
    return _apply("log2", input)


def log10(input: Any) -> DataNode:
    return _apply("log10", input)


def abs(input: Any) -> DataNode:
    return _apply("abs", input)


def fabs(input: Any) -> DataNode:
    return _apply("fabs", input)


def floor(input: Any) -> DataNode:
    return _apply("floor", input)


def ceil(input: Any) -> DataNode:
    return _apply("ceil", input)


def sin(input: Any) -> DataNode:
    return _apply("sin", input)


def cos(input: Any) -> DataNode:
    return _apply("cos", input)


def tan(input: Any) -> DataNode:
    return _apply("tan", input)


def asin(input: Any) -> DataNode:
    return _apply("asin", input)


def acos(input: Any) -> DataNode:
    return _apply("acos", input)


def atan(input: Any) -> DataNode:
    return _apply("atan", input)


def sinh(input: Any) -> DataNode:
    return _apply("sinh", input)


def cosh(input: Any) -> DataNode:
    return _apply("cosh", input)


def tanh(input: Any) -> DataNode:
    return _apply("tanh", input)


def asinh(input: Any) -> DataNode:
    return _apply("asinh", input)


def acosh(input: Any) -> DataNode:
    return _apply("acosh", input)


def atanh(input: Any) -> DataNode:
    return _apply("atanh", input)


def min(left: Any, right: Any) -> DataNode:
    return _apply("min", left, right)


def max(left: Any, right: Any) -> DataNode:
    return _apply("max", left, right)


def pow(base: Any, exponent: Any) -> DataNode:
    return _apply("pow", base, exponent)


def fpow(base: Any, exponent: Any) -> DataNode:
    """`base` to the power of `exponent`, always in float."""
    return _apply("fpow", base, exponent)


def atan2(x: Any, y: Any) -> DataNode:
    return _apply("atan2", x, y)


def clamp(value: Any, lo: Any, hi: Any) -> DataNode:
    return _apply("clamp", value, lo, hi)
