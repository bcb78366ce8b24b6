"""Functions compiled by Numba as operators."""

from . import experimental
from ..function import numba_function

__all__ = ["experimental", "numba_function"]
