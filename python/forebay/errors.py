"""Errors that name the sample they are about, and errors that are two things at once: what Python calls such a mistake,
and the RuntimeError that DALI raises, so that `except` clauses written for either catch them."""

from __future__ import annotations

from . import _core


class InvalidError(ValueError, RuntimeError):
    """A value that cannot be worked with."""


class WrongTypeError(TypeError, RuntimeError):
    """A value of a type that cannot be worked with, or a required argument that is missing."""


class DivergentError(TypeError, ValueError, RuntimeError):
    """What the branches of a conditional give cannot be one variable."""


class LeftBranchError(SyntaxError, TypeError, RuntimeError):
    """A statement that leaves the branch of a conditional."""


class WrongCountError(TypeError, ValueError):
    """Too many or too few inputs."""


class GivenTwiceError(TypeError, ValueError):
    """An argument under two names."""


class UnknownArgumentError(TypeError, KeyError):
    """An argument that an operator does not have."""

    __str__ = Exception.__str__  # not in quotes, as KeyError's is


class NotThereError(FileNotFoundError, RuntimeError):
    """A file or folder that is not there."""


class NotAllowedError(PermissionError, RuntimeError):
    """A file or folder that may not be used."""


class OutOfRangeError(IndexError, ValueError, RuntimeError):
    """An index beyond the end, or too few of something."""


class UnsetError(NameError, RuntimeError):
    """A variable that only one branch of an `if` sets."""


for _kind, _derived in (
    (ValueError, InvalidError),
    (FileNotFoundError, NotThereError),
    (PermissionError, NotAllowedError),
    (IndexError, OutOfRangeError),
):
    _core.set_exception_class(_kind, _derived)



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
