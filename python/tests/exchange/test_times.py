"""Times without other frameworks than NumPy: datetime64 and timedelta64 as arrays and columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import forebay
from forebay import interop

TYPES = ["M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "m8[s]", "m8[ms]", "m8[us]", "m8[ns]"]


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


@pytest.mark.parametrize("dtype", TYPES)
def test_times_are_shared_both_ways(dtype: str) -> None:
    source = np.array([5, "NaT", 7], dtype)
    before = forebay.bytes_copied()
    array = interop.array(source, copy=False)
    column = interop.column(source, copy=False)
    for back in (interop.to(array, "numpy", copy=False), interop.to(column, "numpy", copy=False)):
        assert back.dtype == source.dtype and address(back) == address(source)
    assert forebay.bytes_copied() == before
    assert array.dtype == source.dtype.name
    assert column.null_count == 1 and column.type.startswith("duration" if dtype[0] == "m" else "timestamp")


def test_strided_and_swapped_times() -> None:
    source = np.arange(12).astype("M8[us]").reshape(3, 4)
    view = source[::-1, ::2]
    shared = interop.to(view, "numpy", copy=False)
    assert address(shared) == address(view) and shared.strides == view.strides
    np.testing.assert_array_equal(shared, view)
    swapped = source.astype(">M8[us]")
    np.testing.assert_array_equal(interop.to(swapped, "numpy"), source)
    with pytest.raises(BufferError, match="byte order"):
        interop.array(swapped, copy=False)
    with pytest.raises((BufferError, ValueError), match="2 dimensions"):
        interop.column(source)


def test_days_are_copied_to_columns_and_back() -> None:
    source = np.array(["2020-01-02", "NaT", "1969-12-31"], "M8[D]")
    assert address(interop.to(source, "numpy", copy=False)) == address(source)
    with pytest.raises(BufferError, match="32 bits"):
        interop.column(source, copy=False)
    before = forebay.bytes_copied()
    column = interop.column(source)
    assert forebay.bytes_copied() == before + 4 * 3 and column.type == "date32"
    np.testing.assert_array_equal(interop.to(column, "numpy"), source)
    with pytest.raises(BufferError, match="32 bits"):
        interop.to(column, "numpy", copy=False)
    with pytest.raises((BufferError, ValueError), match="more than the 32 bits"):
        interop.column(np.array([2**31], "M8[D]"))


@pytest.mark.parametrize("dtype", ["M8[h]", "M8[M]", "M8[25s]", "M8", "m8[D]", "m8[W]", "m8"])
def test_units_that_nobody_else_has(dtype: str) -> None:
    for take in (interop.array, interop.column):
        with pytest.raises(TypeError, match="astype"):
            take(np.zeros(2, dtype))


def test_times_are_no_numbers() -> None:
    source = np.arange(3).astype("M8[ns]")
    array = interop.array(source)
    for version in (None, (1, 0)):
        with pytest.raises(BufferError, match="view"):
            array.__dlpack__(max_version=version)
    with pytest.raises(BufferError, match="datetime64"):
        memoryview(array)
    with pytest.raises((BufferError, ValueError), match="view"):
        array.tensor()
    numbers = array.retyped(0, 64)
    assert numbers.dtype == "int64" and numbers.data_ptr() == address(source)
    np.testing.assert_array_equal(np.from_dlpack(numbers), [0, 1, 2])


def test_tables_of_times() -> None:
    both = np.arange(6).astype("M8[s]").reshape(2, 3)
    table = interop.table({"a": both[0], "b": both[1]})
    matrix = interop.to(table, "numpy", copy=False)
    assert address(matrix) == address(both)
    np.testing.assert_array_equal(matrix, both.T)
    mixed = interop.table({"a": np.arange(2).astype("M8[s]"), "b": np.arange(2).astype("M8[ms]")})
    assert interop.to(mixed, "numpy").dtype == np.dtype("M8[ms]")


class _Interface:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__


def test_array_interfaces_of_times() -> None:
    source = np.array([1, 2], "M8[ms]")
    array: Any = interop.array(_Interface(source))
    assert array.dtype == "datetime64[ms]" and array.data_ptr() == address(source)
