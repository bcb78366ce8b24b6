"""The comparisons of `mxnet.test_utils`."""

from __future__ import annotations

from typing import Any

import numpy

from ...nd import NDArray
from ...nd.context import Context, current_context
from ...nd.random import uniform

__all__ = ["almost_equal", "assert_almost_equal", "default_context", "list_gpus", "rand_ndarray", "same"]


def _numbers(value: Any) -> numpy.ndarray[Any, Any]:
    return value.asnumpy() if isinstance(value, NDArray) else numpy.asarray(value)


def same(a: Any, b: Any) -> bool:
    return bool(numpy.array_equal(_numbers(a), _numbers(b)))


def almost_equal(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-20, equal_nan: bool = False) -> bool:
    return bool(numpy.allclose(_numbers(a), _numbers(b), rtol, atol, equal_nan))


def assert_almost_equal(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-20, **names: Any) -> None:
    numpy.testing.assert_allclose(_numbers(a), _numbers(b), rtol, atol)


def default_context() -> Context:
    return current_context()


def list_gpus() -> list[int]:
    """The GPUs that arrays can be made on: none."""
    return []


def rand_ndarray(shape: tuple[int, ...], stype: str = "default", dtype: Any = None) -> NDArray:
    """Uniform in [-1, 1)."""
    if stype != "default":
        raise ValueError(f"arrays are dense, not of storage type '{stype}'")
    return uniform(-1.0, 1.0, shape, dtype)
