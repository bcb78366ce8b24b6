"""Batches as JAX arrays, without a copy where they stay in host memory."""

try:
    import jax as _jax  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("forebay.plugin.jax needs JAX; install the package 'jax'", name=error.name) from error

from . import fn
from .iterator import DALIGenericIterator, GenericIterator, LastBatchPolicy, data_iterator

__all__ = ["DALIGenericIterator", "GenericIterator", "LastBatchPolicy", "data_iterator", "fn"]
