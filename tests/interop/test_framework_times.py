"""Times between Forebay and each framework: shared, copied where they must be, or refused with what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from memory_cases import COLUMN_FRAMEWORKS, is_installed, values_of

import forebay
from forebay import interop

TIMES = ["M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "m8[s]", "m8[us]", "m8[ns]"]


@pytest.mark.parametrize("dtype", TIMES)
@pytest.mark.parametrize("name", COLUMN_FRAMEWORKS)
def test_times_are_shared_with_frameworks_that_have_them(name: str, dtype: str) -> None:
    pytest.importorskip(name)
    source = np.array([5, "NaT", 7], dtype)
    before = forebay.bytes_copied()
    if name == "polars" and "[s]" in dtype:  # it has no seconds
        with pytest.raises(BufferError, match="Polars"):
            interop.to(source, name, copy=False)
        np.testing.assert_array_equal(interop.to(interop.to(source, name), "numpy"), source)
        return
    there = interop.to(source, name, copy=False)
    back = interop.to(there, "numpy", copy=False)
    assert back.dtype == source.dtype and back.ctypes.data == source.ctypes.data
    assert forebay.bytes_copied() == before
    assert interop.column(there).null_count == 1
    whole = interop.to(interop.table({"t": source, "n": np.arange(3)}), name, copy=False)
    assert interop.table(whole)["t"].null_count == 1


@pytest.mark.parametrize("name", COLUMN_FRAMEWORKS)
def test_days_are_copied(name: str) -> None:
    pytest.importorskip(name)
    source = np.array(["2020-01-02", "NaT"], "M8[D]")
    with pytest.raises(BufferError, match="days|datetime64"):
        interop.to(source, name, copy=False)
    before = forebay.bytes_copied()
    there = interop.to(source, name)
    assert forebay.bytes_copied() > before
    np.testing.assert_array_equal(interop.to(there, "numpy"), source)


@pytest.mark.parametrize("name", ["torch", "jax", "tensorflow"])
def test_frameworks_without_times_say_what_to_do(name: str) -> None:
    pytest.importorskip(name)
    source = np.arange(4).astype("M8[ns]")
    sources: list[Any] = [source, interop.array(source), interop.column(source)]
    sources += [interop.to(source, other) for other in COLUMN_FRAMEWORKS if is_installed(other)]
    for obj in sources:
        with pytest.raises(TypeError, match="view.'int64'"):
            interop.to(obj, name)
    assert values_of(interop.to(source.view("int64"), name)).tolist() == [0, 1, 2, 3]


def test_nulls_and_zones_of_arrow_times() -> None:
    pa = pytest.importorskip("pyarrow")
    source = pa.array([1, None, 3], pa.timestamp("ns"))
    expected = np.array([1, "NaT", 3], "M8[ns]")
    with pytest.raises(BufferError, match="NaT"):
        interop.to(source, "numpy", copy=False)
    before = forebay.bytes_copied()
    np.testing.assert_array_equal(interop.to(source, "numpy"), expected)
    assert forebay.bytes_copied() == before + 24
    zoned = pa.array([1, 2], pa.timestamp("s", "Europe/Berlin"))
    np.testing.assert_array_equal(interop.to(zoned, "numpy", copy=False), np.array([1, 2], "M8[s]"))
    pytest.importorskip("pandas")
    for kept in (zoned, pa.array([1], pa.date32()), pa.array([1], pa.date64())):
        assert interop.to(interop.to(kept, "pandas", copy=False), "pyarrow").type == kept.type


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__]))
