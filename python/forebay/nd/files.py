"""Arrays to and from files, in MXNet's format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from .. import _core
from .ndarray import NDArray

Loaded = dict[str, NDArray] | list[NDArray]


def save(fname: str | os.PathLike[str], data: NDArray | Sequence[NDArray] | Mapping[str, NDArray]) -> None:
    """Waits for an array, a list of arrays or a dict of them by name, and writes them as ``mx.nd.save`` does.

    The file appears when it is whole. MXNet cannot read arrays of types that it does not have (int16 and unsigned of
    16, 32 and 64 bits), nor, outside of its NumPy mode, those without axes or without elements.
    """
    named = data if isinstance(data, Mapping) else {}
    arrays = list(named.values()) if isinstance(data, Mapping) else [data] if isinstance(data, NDArray) else list(data)
    for array in arrays:
        if not isinstance(array, NDArray):
            raise TypeError(f"save takes NDArrays, a list or a dict of them, not {type(array).__name__}")
    _core.save_array_file(os.fspath(fname), arrays, [str(name) for name in named])


def load(fname: str | os.PathLike[str]) -> Loaded:
    """The arrays of a file: a dict when they have names, else a list. RuntimeError with the place and the cause when
    the file is broken."""
    return _loaded(_core.load_array_file(os.fspath(fname)))


def load_frombuffer(buf: bytes) -> Loaded:
    """The same from the bytes of a file."""
    return _loaded(_core.load_array_bytes(bytes(buf)))


def _loaded(found: tuple[list[NDArray], list[str]]) -> Loaded:
    arrays, names = found
    return dict(zip(names, arrays, strict=True)) if names else arrays
