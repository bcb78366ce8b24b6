"""Pictures from files, in one call."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .batch import batch
from .operators import function_named
from .tensor import tensor
from .value import Value

__all__ = ["imread"]


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, bytes, os.PathLike))


def _as_bytes(path: Any) -> np.ndarray:
    return np.frombuffer(os.fsencode(path), dtype=np.uint8)


def _paths(filepaths: Any) -> Any:
    """Names of files as tensors of their bytes, which `io.file.read` takes."""
    if isinstance(filepaths, Value):
        return filepaths
    if _is_path(filepaths):
        return tensor(_as_bytes(filepaths))
    if isinstance(filepaths, (list, tuple)) and filepaths and all(map(_is_path, filepaths)):
        return batch([_as_bytes(path) for path in filepaths])
    raise TypeError(f"imread takes the path of a file, or a list of paths, not {filepaths!r}")


_read, _decode = (function_named(name) for name in ("io.file.read", "decoders.image"))


def imread(filepaths: Any, /, *, device: Any = None, **arguments: Any) -> Any:
    """Reads and decodes pictures.

    :param filepaths: the path or URI of a file, which gives a tensor; a list of paths, which gives a batch; or either
        as tensors of bytes.
    :param device: the CPU.
    :param arguments: those of `decoders.image`.
    """
    return _decode(_read(_paths(filepaths), device=device), device=device, **arguments)
