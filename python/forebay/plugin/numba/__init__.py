"""Functions compiled by Numba as operators."""

try:
    import numba as _numba  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("forebay.plugin.numba needs Numba; install the package 'numba'", name=error.name) from error

from . import fn
from .function import NumbaFunction

__all__ = ["NumbaFunction", "fn"]
