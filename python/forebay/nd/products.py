"""Products of matrices, by BLAS on all idle workers."""

from __future__ import annotations

from .._core import ArrayOperations as native
from .creation import into
from .ndarray import NDArray


def dot(
    lhs: NDArray, rhs: NDArray, transpose_a: bool = False, transpose_b: bool = False, out: NDArray | None = None
) -> NDArray:
    """The last axis of ``lhs`` against the first of ``rhs``."""
    return into(native.dot(lhs, rhs, transpose_a, transpose_b), out)


def batch_dot(
    lhs: NDArray, rhs: NDArray, transpose_a: bool = False, transpose_b: bool = False, out: NDArray | None = None
) -> NDArray:
    """The products of the matrices of two batches."""
    return into(native.batch_dot(lhs, rhs, transpose_a, transpose_b), out)
