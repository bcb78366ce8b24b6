"""Functions compiled by Numba as operators."""

try:
    import numba as _numba  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
except ImportError as error:
    raise ImportError("forebay.plugin.numba needs Numba; install the package 'numba'") from error

from . import fn
from .function import NumbaFunction

__all__ = ["NumbaFunction", "fn"]
