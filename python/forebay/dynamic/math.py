"""Functions of tensors and batches, element by element. They compute in float unless the name is one of abs, min, max,
clamp, pow, which keep the type."""

from __future__ import annotations

from typing import Any

from .value import arithmetic as _apply


def sqrt(input: Any) -> Any:
    return _apply("sqrt", input)


def rsqrt(input: Any) -> Any:
    """1 / sqrt(input)"""
    return _apply("rsqrt", input)


def cbrt(input: Any) -> Any:
    return _apply("cbrt", input)


def exp(input: Any) -> Any:
    return _apply("exp", input)


def log(input: Any) -> Any:
    return _apply("log", input)


def log2(input: Any) -> Any:
    return _apply("log2", input)


def log10(input: Any) -> Any:
    return _apply("log10", input)


def abs(input: Any) -> Any:
    return _apply("abs", input)


def fabs(input: Any) -> Any:
    return _apply("fabs", input)


def floor(input: Any) -> Any:
    return _apply("floor", input)


def ceil(input: Any) -> Any:
    return _apply("ceil", input)


def sin(input: Any) -> Any:
    return _apply("sin", input)


def cos(input: Any) -> Any:
    return _apply("cos", input)


def tan(input: Any) -> Any:
    return _apply("tan", input)


def asin(input: Any) -> Any:
    return _apply("asin", input)


def acos(input: Any) -> Any:
    return _apply("acos", input)


def atan(input: Any) -> Any:
    return _apply("atan", input)


def sinh(input: Any) -> Any:
    return _apply("sinh", input)


def cosh(input: Any) -> Any:
    return _apply("cosh", input)


def tanh(input: Any) -> Any:
    return _apply("tanh", input)


def asinh(input: Any) -> Any:
    return _apply("asinh", input)


def acosh(input: Any) -> Any:
    return _apply("acosh", input)


def atanh(input: Any) -> Any:
    return _apply("atanh", input)


def min(left: Any, right: Any) -> Any:
    return _apply("min", left, right)


def max(left: Any, right: Any) -> Any:
    return _apply("max", left, right)


def pow(base: Any, exponent: Any) -> Any:
    return _apply("pow", base, exponent)


def fpow(base: Any, exponent: Any) -> Any:
    """`base` to the power of `exponent`, always in float."""
    return _apply("fpow", base, exponent)


def atan2(x: Any, y: Any) -> Any:
    return _apply("atan2", x, y)


def clamp(value: Any, lo: Any, hi: Any) -> Any:
    return _apply("clamp", value, lo, hi)
