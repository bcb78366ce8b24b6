"""Batches as JAX arrays, without a copy where they stay in host memory."""

try:
    import jax as _jax  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
except ImportError as error:
    raise ImportError("forebay.plugin.jax needs JAX; install the package 'jax'") from error

from . import fn
from .iterator import DALIGenericIterator, GenericIterator, LastBatchPolicy, data_iterator

__all__ = ["DALIGenericIterator", "GenericIterator", "LastBatchPolicy", "data_iterator", "fn"]
