"""An older name."""

from ..function import numba_function

__all__ = ["numba_function"]
