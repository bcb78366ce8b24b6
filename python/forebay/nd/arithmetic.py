"""Element by element. Both operands may be arrays (broadcast) or one of them a number."""

from __future__ import annotations

from .._core import ArrayOperations as native
from . import makers

_unary = makers.of_one(native.unary)
_binary = makers.of_two(native.binary, native.with_scalar)

add = _binary("add", "lhs + rhs")
subtract = _binary("sub", "lhs - rhs")
multiply = _binary("mul", "lhs * rhs")
divide = _binary("div", "lhs / rhs; of integers rounded towards 0")
true_divide = divide
power = _binary("pow", "lhs to the power of rhs")
maximum = _binary("max", "The greater of both.")
minimum = _binary("min", "The lesser of both.")
arctan2 = _binary("atan2", "The angle of the point (rhs, lhs).")
equal = _binary("eq", "1 where both are equal, else 0.")
not_equal = _binary("neq", "1 where they differ, else 0.")
greater = _binary("gt", "1 where lhs > rhs, else 0.")
greater_equal = _binary("geq", "1 where lhs >= rhs, else 0.")
lesser = _binary("lt", "1 where lhs < rhs, else 0.")
lesser_equal = _binary("leq", "1 where lhs <= rhs, else 0.")

broadcast_add = broadcast_plus = add
broadcast_sub = broadcast_minus = subtract
broadcast_mul = multiply
broadcast_div = divide
broadcast_power = power
broadcast_maximum = maximum
broadcast_minimum = minimum
broadcast_equal = equal
broadcast_not_equal = not_equal
broadcast_greater = greater
broadcast_greater_equal = greater_equal
broadcast_lesser = lesser
broadcast_lesser_equal = lesser_equal
elemwise_add = add
elemwise_sub = subtract
elemwise_mul = multiply
elemwise_div = divide

negative = _unary("minus", "-data")
abs = _unary("abs", "The magnitude.")
floor = _unary("floor", "The greatest integer not above.")
ceil = _unary("ceil", "The least integer not below.")
sqrt = _unary("sqrt", "The square root.")
rsqrt = _unary("rsqrt", "1 / sqrt(data)")
cbrt = _unary("cbrt", "The cubic root.")
exp = _unary("exp", "e to the power of data.")
log = _unary("log", "The natural logarithm.")
log2 = _unary("log2", "The logarithm to base 2.")
log10 = _unary("log10", "The logarithm to base 10.")
sin = _unary("sin", "The sine.")
cos = _unary("cos", "The cosine.")
tan = _unary("tan", "The tangent.")
arcsin = _unary("asin", "The inverse of the sine.")
arccos = _unary("acos", "The inverse of the cosine.")
arctan = _unary("atan", "The inverse of the tangent.")
sinh = _unary("sinh", "The hyperbolic sine.")
cosh = _unary("cosh", "The hyperbolic cosine.")
tanh = _unary("tanh", "The hyperbolic tangent.")
arcsinh = _unary("asinh", "The inverse of the hyperbolic sine.")
arccosh = _unary("acosh", "The inverse of the hyperbolic cosine.")
arctanh = _unary("atanh", "The inverse of the hyperbolic tangent.")
