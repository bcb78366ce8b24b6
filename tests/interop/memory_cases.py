"""What several of the tests use: the frameworks, arrays where they want them, and how to look into what came of them."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

ARRAY_FRAMEWORKS = ["numpy", "torch", "jax", "tensorflow"]
COLUMN_FRAMEWORKS = ["pyarrow", "pandas", "polars"]
ALL = ARRAY_FRAMEWORKS + COLUMN_FRAMEWORKS


def values_of(obj: Any) -> np.ndarray:
    """The content as NumPy sees it, by the framework's own way."""
    if hasattr(obj, "numpy") and not hasattr(obj, "to_numpy"):
        return np.asarray(obj.numpy())
    if hasattr(obj, "to_numpy"):
        try:
            return np.asarray(obj.to_numpy(zero_copy_only=False))
        except TypeError:
            return np.asarray(obj.to_numpy())
    return np.asarray(obj)


def aligned(shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    """An array that counts up, at an address that is a multiple of 64."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    array = raw[start : start + size].view(dtype).reshape(shape)
    array[...] = np.arange(array.size).reshape(shape)
    return array


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None
