"""Times: NumPy's datetime64 and timedelta64, Arrow's timestamps, dates and durations.

The same numbers of 64 bits in both, so they are shared; days are not, since Arrow's have 32. NaT becomes null, and null
NaT.
"""

from __future__ import annotations

import numpy as np

from .._core import Array, Column

_PLAIN_TIMESTAMPS = {f"timestamp<{unit}>" for unit in ("s", "ms", "us", "ns")}
_UNITS = {"M": ("s", "ms", "us", "ns", "D"), "m": ("s", "ms", "us", "ns")}


def check_unit(dtype: np.dtype) -> None:
    """TypeError for times in units that Arrow does not count in."""
    unit, step = np.datetime_data(dtype)
    if unit not in _UNITS[dtype.kind] or step != 1:
        name = dtype.name.partition("[")[0]
        raise TypeError(f"{dtype.name} counts in a unit that nobody else has: take .astype('{name}[s]') first")


def has_times(array: Array) -> bool:
    """True for arrays of times."""
    return array.dtype.startswith(("datetime64", "timedelta64"))


def check_target(array: Array, name: str) -> None:
    """TypeError for times when the framework has only numbers."""
    if has_times(array):
        raise TypeError(f"{name} has no {array.dtype}: hand over the numbers, .view('int64') in NumPy and pyarrow")


def keeps_its_meaning(column: Column) -> bool:
    """False for dates and for times with a zone: NumPy's times would lose that."""
    return not column.type.startswith(("date", "timestamp")) or column.type in _PLAIN_TIMESTAMPS


def is_in_days(array: Array) -> bool:
    """True for datetime64[D]."""
    return array.dtype == "datetime64[D]"
