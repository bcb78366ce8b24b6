"""Errors that name the sample they are about."""

from __future__ import annotations


class SampleError(RuntimeError):
    """One sample could not be read or processed.

    Attributes say which one; those that are unknown are None. When a Python function raised, its exception is the
    ``__cause__``.
    """

    object: str | None = None
    """Path or URI of the file or shard, as os.fsdecode() gives it: os.fsencode() has its exact bytes. The text of the
    error shows bytes that are not UTF-8 as ``\\xff``."""
    offset: int = 0
    """Where the sample begins in it, in bytes."""
    operator: str = ""
    """Name of the operator that failed."""
    position: int | None = None
    """Global place in the epoch."""
    epoch: int | None = None
    index: int | None = None
    """Index within the data set."""
    cause: str = ""
    """What went wrong, without the names above."""


class ArrayError(RuntimeError):
    """An array, or a block of a network, cannot do what was asked. Under `forebay.compat` it is
    ``mxnet.base.MXNetError``, and the errors of operations are derived from it."""
