"""Arrays of random numbers (Philox). They are determined when the operation is enqueued, so a seed gives the same numbers
on any machine and with any number of threads. (They are not MXNet's numbers.)

Parameters are numbers, or arrays of one shape: then ``shape`` numbers are drawn for each of their elements.
"""

from __future__ import annotations

from typing import TypeAlias

from .._core import ArrayOperations as native
from .context import Context, checked
from .creation import into
from .ndarray import DType, NDArray, Shape, dtype_name

Parameter: TypeAlias = "NDArray | float"


def seed(seed_state: int, ctx: Context | str = "all") -> None:
    """Starts the sequence of this process anew."""
    native.seed(int(seed_state) & (2**64 - 1))


def extents(shape: Shape | None, out: NDArray | None, default: tuple[int, ...]) -> Shape:
    if shape is not None:
        return shape
    return default if out is None else out.shape


def real_type(name: str, dtype: DType | None) -> str:
    chosen = dtype_name(None if dtype == "None" else dtype)
    if not chosen.startswith("float"):
        raise ValueError(f"{name} draws floats, not {chosen}")
    return chosen


def drawn(
    name: str,
    parameters: tuple[Parameter, ...],
    shape: Shape | None,
    dtype: DType | None,
    ctx: Context | None,
    out: NDArray | None,
) -> NDArray:
    """Numbers of a distribution; its parameters are all arrays or all numbers."""
    checked(ctx)
    wanted = real_type(name, dtype)
    arrays = [parameter for parameter in parameters if isinstance(parameter, NDArray)]
    if not arrays:
        first, second = (*(float(parameter) for parameter in parameters), 0.0)[:2]
        sizes = extents(shape, out, (1,))
        if name == "uniform":
            return into(native.uniform(first, second, sizes, wanted), out)
        if name == "normal":
            return into(native.normal(first, second, sizes, wanted), out)
        return into(native.sample(name, first, second, sizes, wanted), out)
    if len(arrays) != len(parameters):
        raise TypeError(f"{name}: the parameters are all arrays or all numbers")
    return into(native.sample_arrays(name, arrays, () if shape is None else shape, wanted), out)


def uniform(
    low: Parameter = 0.0,
    high: Parameter = 1.0,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Uniform in [low, high)."""
    return drawn("uniform", (low, high), shape, dtype, ctx, out)


def normal(
    loc: Parameter = 0.0,
    scale: Parameter = 1.0,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Normal with mean ``loc`` and standard deviation ``scale``."""
    return drawn("normal", (loc, scale), shape, dtype, ctx, out)


def randn(*shape: int, loc: Parameter = 0.0, scale: Parameter = 1.0, dtype: DType | None = None) -> NDArray:
    """Normal in that shape."""
    return normal(loc, scale, shape or (1,), dtype)


def exponential(
    scale: Parameter = 1.0,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Exponential with mean ``scale``."""
    rate = 1.0 / scale
    return drawn("exponential", (rate,), shape, dtype, ctx, out)


def gamma(
    alpha: Parameter = 1.0,
    beta: Parameter = 1.0,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Gamma with shape ``alpha`` and scale ``beta``."""
    return drawn("gamma", (alpha, beta), shape, dtype, ctx, out)


def poisson(
    lam: Parameter = 1.0,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Poisson with mean ``lam``."""
    return drawn("poisson", (lam,), shape, dtype, ctx, out)


def negative_binomial(
    k: Parameter = 1.0,
    p: Parameter = 1.0,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """How many successes come before the k-th failure, each a failure with probability ``p``."""
    return drawn("negative_binomial", (k, p), shape, dtype, ctx, out)


def generalized_negative_binomial(
    mu: Parameter = 1.0,
    alpha: Parameter = 1.0,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Poisson with a gamma-distributed mean: mean ``mu``, variance mu + alpha mu^2."""
    return drawn("generalized_negative_binomial", (mu, alpha), shape, dtype, ctx, out)


def bernoulli(
    p: Parameter = 0.5,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """1 with probability ``p``, else 0."""
    if not isinstance(p, NDArray):
        checked(ctx)
        return into(native.mask(p, 1.0, extents(shape, out, (1,)), real_type("bernoulli", dtype)), out)
    low = native.full(p.shape, 0.0, p.dtype_name)
    chance = drawn("uniform", (low, low + 1.0), shape, dtype, ctx, None)
    aligned = native.reshape(p, [*p.shape, *[1] * (chance.ndim - p.ndim)])
    return into(native.binary("lt", chance, native.cast(aligned, chance.dtype_name)), out)


def randint(
    low: int,
    high: int | None = None,
    shape: Shape = (1,),
    dtype: DType | None = "int32",
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Integers in [low, high); with one bound in [0, low)."""
    checked(ctx)
    if high is None:
        low, high = 0, low
    return into(native.randint(low, high, shape if out is None else out.shape, dtype_name(dtype)), out)


def multinomial(
    data: NDArray,
    shape: Shape | None = None,
    get_prob: bool = False,
    out: NDArray | None = None,
    dtype: DType = "int32",
) -> NDArray | list[NDArray]:
    """Places along the last axis, each drawn with its share of the probabilities there. With ``get_prob`` also the
    logarithms of their probabilities, which have gradients."""
    places = native.sample_categories(data, () if shape is None else shape, dtype_name(dtype))
    if not get_prob:
        return into(places, out)
    lines = native.reshape(data, [-1, data.shape[-1]])
    chosen = native.reshape(places, [lines.shape[0], -1])
    picked = native.function("log", native.take_along_axis(lines, chosen, 1))
    return [places, native.reshape(picked, list(places.shape))]


def shuffle(data: NDArray, out: NDArray | None = None) -> NDArray:
    """The places of the first axis in random order."""
    return into(native.take(data, native.permutation(data.shape[0]), 0, "raise"), out)


def uniform_like(data: NDArray, low: float = 0.0, high: float = 1.0, out: NDArray | None = None) -> NDArray:
    """Uniform in the array's shape and type."""
    return uniform(low, high, data.shape, data.dtype_name, out=out)


def normal_like(data: NDArray, loc: float = 0.0, scale: float = 1.0, out: NDArray | None = None) -> NDArray:
    """Normal in the array's shape and type."""
    return normal(loc, scale, data.shape, data.dtype_name, out=out)


def exponential_like(data: NDArray, lam: float = 1.0, out: NDArray | None = None) -> NDArray:
    """Exponential with rate ``lam`` in the array's shape and type."""
    return exponential(1.0 / lam, data.shape, data.dtype_name, out=out)


def gamma_like(data: NDArray, alpha: float = 1.0, beta: float = 1.0, out: NDArray | None = None) -> NDArray:
    """Gamma in the array's shape and type."""
    return gamma(alpha, beta, data.shape, data.dtype_name, out=out)


def poisson_like(data: NDArray, lam: float = 1.0, out: NDArray | None = None) -> NDArray:
    """Poisson in the array's shape and type."""
    return poisson(lam, data.shape, data.dtype_name, out=out)


def negative_binomial_like(data: NDArray, k: float = 1.0, p: float = 1.0, out: NDArray | None = None) -> NDArray:
    """Negative binomial in the array's shape and type."""
    return negative_binomial(k, p, data.shape, data.dtype_name, out=out)


def generalized_negative_binomial_like(
    data: NDArray, mu: float = 1.0, alpha: float = 1.0, out: NDArray | None = None
) -> NDArray:
    """Generalised negative binomial in the array's shape and type."""
    return generalized_negative_binomial(mu, alpha, data.shape, data.dtype_name, out=out)


def random_exponential(
    lam: Parameter = 1.0,
    shape: Shape | None = None,
    dtype: DType | None = None,
    ctx: Context | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Exponential with rate ``lam``: ``nd.random_exponential`` and ``nd.sample_exponential``."""
    return drawn("exponential", (lam,), shape, dtype, ctx, out)
