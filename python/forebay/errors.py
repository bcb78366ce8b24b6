"""Errors that name the sample they are about, and errors that are two things at once: what Python calls such a mistake,
and the RuntimeError that DALI raises, so that `except` clauses written for either catch them."""

from __future__ import annotations

import copyreg
from typing import Any

from . import _core


class InvalidError(ValueError, RuntimeError):
    """A value that cannot be worked with."""


class WrongTypeError(TypeError, RuntimeError):
    """A value of a type that cannot be worked with, or a required argument that is missing."""


class UnfitError(WrongTypeError, InvalidError):
    """A value, or arguments together, that cannot be worked with, be it for their types or for what they say."""


class DivergentError(UnfitError):
    """What the branches of a conditional give cannot be one variable."""


class LeftBranchError(SyntaxError, TypeError, RuntimeError):
    """A statement that leaves the branch of a conditional."""


class WrongCountError(TypeError, ValueError):
    """Too many or too few inputs."""


class GivenTwiceError(TypeError, ValueError):
    """An argument under two names."""


class UnknownArgumentError(TypeError, KeyError, ValueError):
    """An argument that an operator does not have."""

    __str__ = Exception.__str__  # not in quotes, as KeyError's is


class NoArrayTypeError(TypeError, KeyError):
    """A type of DALI's that no element of an array has."""

    __str__ = Exception.__str__


class UnknownNameError(KeyError, RuntimeError):
    """A name that no operator of the pipeline has: of a reader, or of an external source."""

    __str__ = Exception.__str__


class UnknownDeviceError(NotImplementedError, ValueError):
    """A device that is none of "cpu", "gpu" and "mixed"."""


class NoOutputsError(NotImplementedError, InvalidError):
    """A pipeline that gives nothing."""


class NotFedError(IndexError, RuntimeError):
    """An external source that is to be fed by hand has no data."""


class NothingScheduledError(StopIteration, RuntimeError):
    """share_outputs() without a schedule_run() before it."""


class NoRowError(InvalidError, KeyError):
    """A dictionary where a source was to give a tuple of outputs."""

    __str__ = Exception.__str__


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
    (KeyError, UnknownNameError),
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


class InvalidSampleError(SampleError, ValueError):
    """An operator cannot work with a sample or with what its arguments say: a wrong layout, number of axes or type."""


class OutOfRangeSampleError(SampleError, IndexError):
    """An operator was told of an axis, an index or a window beyond what a sample has."""


class _AlsoRuntimeError(type):
    """A class that has RuntimeError as its other base. Pickle makes it anew, as no module has it."""

    def __new__(cls, kind: type[Exception]) -> Any:
        names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
        return super().__new__(cls, kind.__name__, (kind, RuntimeError), names)

    def __init__(cls, kind: type[Exception]) -> None:
        super().__init__(kind.__name__, (kind, RuntimeError), {})


copyreg.pickle(_AlsoRuntimeError, lambda made: (_AlsoRuntimeError, made.__bases__[:1]))


def also_runtime_error(error: Exception) -> Exception:
    """An error like `error` that is a RuntimeError besides, caused by it; `error` itself where none can be made."""
    kind = type(error)
    if isinstance(error, (RuntimeError, StopIteration)):
        return error
    try:
        made_of: tuple[Any, ...] = error.__reduce__()  # type: ignore[assignment]
        twin: Exception = _AlsoRuntimeError(kind)(*made_of[1])
        if made_of[0] is not kind or str(twin) != str(error):
            return error
        if len(made_of) > 2:
            twin.__setstate__(made_of[2])
    except Exception:  # of a class that cannot be derived from, or made like that
        return error
    twin.__cause__ = error
    return twin


class ArrayError(RuntimeError):
    """An array, or a block of a network, cannot do what was asked. Under `forebay.compat` it is
    ``mxnet.base.MXNetError``, and the errors of operations are derived from it."""
