"""Functions of one array, element by element, and of pairs beyond arithmetic. The result has the operand's type, as in
MXNet: for integer arrays fractions are cut off."""

from __future__ import annotations

from .._core import ArrayOperations as native
from . import makers
from .arithmetic import add
from .creation import into
from .ndarray import DType, NDArray, dtype_name

_function = makers.of_one(native.function)
_pair = makers.of_two(native.pairs, native.pairs_with_scalar)

relu = _function("relu", "The greater of data and 0.")
sigmoid = _function("sigmoid", "1 / (1 + e^-data)")
softsign = _function("softsign", "data / (1 + |data|)")
erf = _function("erf", "The error function.")
erfinv = _function("erfinv", "The inverse of the error function.")
gamma = _function("gamma", "The gamma function.")
gammaln = _function("gammaln", "The logarithm of the gamma function's magnitude.")
square = _function("square", "data * data")
reciprocal = _function("reciprocal", "1 / data")
rcbrt = _function("rcbrt", "1 / cbrt(data)")
log1p = _function("log1p", "log(1 + data), exact near 0.")
expm1 = _function("expm1", "e^data - 1, exact near 0.")
sign = _function("sign", "-1, 0 or 1.")
round = _function("round", "The nearest integer; halves away from 0.")
rint = _function("rint", "The nearest integer; halves down.")
trunc = _function("trunc", "The integer next towards 0.")
fix = trunc
degrees = _function("degrees", "Radians as degrees.")
radians = _function("radians", "Degrees as radians.")
logical_not = _function("logical_not", "1 where data is 0, else 0.")

logical_and = _pair("logical_and", "1 where both differ from 0, else 0.")
logical_or = _pair("logical_or", "1 where one differs from 0, else 0.")
logical_xor = _pair("logical_xor", "1 where exactly one differs from 0, else 0.")
modulo = _pair("modulo", "The remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0.")
broadcast_hypot = _pair("hypot", "The length of the vector (lhs, rhs).")
broadcast_logical_and = logical_and
broadcast_logical_or = logical_or
broadcast_logical_xor = logical_xor
broadcast_mod = modulo


def clip(data: NDArray, a_min: float, a_max: float, out: NDArray | None = None) -> NDArray:
    """Brought into [a_min, a_max]."""
    return into(native.function("clip", data, float(a_min), float(a_max)), out)


def hard_sigmoid(data: NDArray, alpha: float = 0.2, beta: float = 0.5, out: NDArray | None = None) -> NDArray:
    """alpha * data + beta, brought into [0, 1]."""
    return into(native.function("hard_sigmoid", data, alpha, beta), out)


def smooth_l1(data: NDArray, scalar: float = 1.0, out: NDArray | None = None) -> NDArray:
    """(scalar * data)^2 / 2 where |data| < 1 / scalar^2, else |data| - 1 / (2 scalar^2)."""
    return into(native.function("smooth_l1", data, scalar), out)


def add_n(*args: NDArray, out: NDArray | None = None) -> NDArray:
    """The sum of arrays of one shape."""
    if any(arg.shape != args[0].shape for arg in args):
        raise ValueError(f"add_n: arrays of one shape are needed, not {[arg.shape for arg in args]}")
    total = args[0]
    for arg in args[1:]:
        total = add(total, arg)
    return into(native.copy(total) if len(args) == 1 else total, out)


def identity(data: NDArray, out: NDArray | None = None) -> NDArray:
    """A copy."""
    return into(native.copy(data), out)


def stop_gradient(data: NDArray, out: NDArray | None = None) -> NDArray:
    """A copy through which no gradient passes."""
    return into(native.stop_gradient(data), out)


def make_loss(data: NDArray, out: NDArray | None = None) -> NDArray:
    """A copy that is a loss: its gradient is 1, whatever gradient it is given."""
    return into(native.make_loss(data, 1.0), out)


def MakeLoss(  # noqa: N802
    data: NDArray,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: str = "null",
    out: NDArray | None = None,
) -> NDArray:
    """The same with a gradient of ``grad_scale``, divided by the batch with ``normalization='batch'``."""
    if normalization not in ("null", "batch"):
        raise ValueError(f"MakeLoss: the normalization is 'null' or 'batch', not '{normalization}'")
    scale = grad_scale / data.shape[0] if normalization == "batch" else grad_scale
    return into(native.make_loss(data, scale), out)


def cast(data: NDArray, dtype: DType, out: NDArray | None = None) -> NDArray:
    """With elements of another type; fractions are cut off."""
    return into(native.cast(data, dtype_name(dtype)), out)


ElementWiseSum = add_n
BlockGrad = stop_gradient
Cast = amp_cast = cast
