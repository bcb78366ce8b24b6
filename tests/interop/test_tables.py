"""Columns and tables between Forebay and the frameworks that have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from memory_cases import aligned, is_installed

import forebay
from forebay import interop


def test_arrow_tables_with_text_and_nulls() -> None:
    pa = pytest.importorskip("pyarrow")
    source = pa.table({"n": pa.array([1, None, 3]), "s": ["a", "bb", None], "l": [[1], [], [2, 3]]})
    table = interop.table(source, copy=False)
    back = interop.to(table, "pyarrow", copy=False)
    assert back.equals(source)
    assert back["n"].chunk(0).buffers()[1].address == source["n"].chunk(0).buffers()[1].address
    assert table["n"].null_count == 1
    with pytest.raises(BufferError, match="nulls"):
        interop.to(table["n"], "numpy")
    two = interop.table(pa.concat_tables([source, source]))
    assert len(two) == 6 and two["n"].chunk_count == 2
    assert interop.to(two, "pyarrow").equals(pa.concat_tables([source, source]))


class Streamed:
    """A table of Arrow's that shows its stream alone."""

    def __init__(self, table: Any) -> None:
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def test_any_number_of_chunks() -> None:
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    source = pa.concat_tables([pa.table({"n": [1, 2], "s": ["x", "y"]}), pa.table({"n": [3], "s": ["z"]})])
    assert interop.to(source, "polars").to_dict(as_series=False) == source.to_pydict()
    assert interop.to(source["n"], "polars").to_list() == [1, 2, 3]
    if len(pl.DataFrame(Streamed(source))) == 3:  # Polars 1.9 keeps the first chunk of any stream
        assert pl.DataFrame(interop.table(source)).shape == (3, 2)
    empty = source.schema.empty_table()
    assert interop.to(empty, "polars").to_dict(as_series=False) == empty.to_pydict()
    assert interop.to(pa.chunked_array([], pa.int32()), "polars").to_list() == []


@pytest.mark.parametrize("kind", ["string_view", "dictionary", "timestamp", "decimal", "fixed_size_binary", "bool", "large_list", "map"])
def test_arrow_types(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    arrays = {
        "string_view": lambda: pa.array(["a", None, "x" * 40], pa.string_view()),
        "dictionary": lambda: pa.array(["a", "b", "a"]).dictionary_encode(),
        "timestamp": lambda: pa.array([1, 2, None], pa.timestamp("us", "UTC")),
        "decimal": lambda: pa.array([1, 2], pa.decimal128(9, 2)),
        "fixed_size_binary": lambda: pa.array([b"abc", b"def"], pa.binary(3)),
        "bool": lambda: pa.array([True, None, False] * 5)[2:],
        "large_list": lambda: pa.array([[1], [2, 3]], pa.large_list(pa.int64())),
        "map": lambda: pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
    }
    source = arrays[kind]()
    back = pa.array(interop.column(source))
    back.validate(full=True)
    assert back.to_pylist() == (
        [[{"key": "k", "value": 1}], []] if kind == "map" else source.to_pylist()
    )


def test_arrow_types_that_are_refused_by_name() -> None:
    pa = pytest.importorskip("pyarrow")
    run_ends = pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"])
    with pytest.raises(ValueError, match=r"\+r"):
        interop.column(run_ends)


def test_polars_and_duckdb() -> None:
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame({"s": ["a", None, "c" * 50], "n": [1.5, 2.5, 3.5]})
    table = interop.table(frame)
    assert interop.to(table, "polars").equals(frame)
    assert interop.array(frame["n"], copy=False).data_ptr() == interop.to(frame["n"], "numpy").ctypes.data
    relation = duckdb.sql("select range as a, 'x' || range as s from range(5)")
    asked = interop.table(relation)
    assert asked.column_names == ["a", "s"] and len(asked) == 5
    numbers = interop.table({"v": np.arange(10.0)})  # noqa: F841 - DuckDB finds it by its name
    assert duckdb.sql("select sum(v) from numbers").fetchall() == [(45.0,)]


def test_columns_of_one_name() -> None:
    pa = pytest.importorskip("pyarrow")
    source = pa.table([[1, 2], [3, 4]], names=["a", "a"])
    np.testing.assert_array_equal(interop.to(source, "numpy"), [[1, 3], [2, 4]])
    table = interop.table(source)
    assert table.column(1).array().data_ptr() == source.column(1).chunk(0).buffers()[1].address
    with pytest.raises(KeyError, match="several"):
        table["a"]
    with pytest.raises(IndexError):
        table.column(2)
    pytest.importorskip("pandas")
    frame = interop.to(source, "pandas")
    assert list(frame.columns) == ["a", "a"] and frame.to_numpy().tolist() == [[1, 3], [2, 4]]


def test_rows_that_are_tensors_in_pandas() -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    source = pa.FixedSizeListArray.from_arrays(pa.array([1, 2, 3, 4]), 2)
    assert [list(row) for row in interop.to(source, "pandas", copy=False)] == [[1, 2], [3, 4]]
    assert len(interop.to(pa.table({"rows": source}), "pandas")) == 2


@pytest.mark.parametrize("kind", ["strided", "bool", "object"])
def test_what_pandas_copies_for_arrow(kind: str) -> None:
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    frames = {
        "strided": lambda: pd.DataFrame(aligned((10, 2), "float64"), columns=["a", "b"], copy=False)[["a"]],
        "bool": lambda: pd.DataFrame({"a": [True, False] * 5}),
        "object": lambda: pd.DataFrame({"a": pd.Series(["x", "y"] * 5, dtype=object)}),
    }
    frame = frames[kind]()
    if kind == "strided" and frame["a"].to_numpy().flags.c_contiguous:
        pytest.skip(f"pandas {pd.__version__} has copied the column already")
    before = forebay.bytes_copied()
    there = interop.to(frame, "pyarrow")
    assert there["a"].to_pylist() == frame["a"].tolist() and forebay.bytes_copied() > before
    with pytest.raises(BufferError, match="pandas"):
        interop.to(frame, "pyarrow", copy=False)
    whole = pd.DataFrame({"a": aligned((10,)), "t": pd.date_range("2020", periods=10)})
    before = forebay.bytes_copied()
    assert pa.types.is_timestamp(interop.to(whole, "pyarrow", copy=False)["t"].type)
    assert forebay.bytes_copied() == before


@pytest.mark.parametrize("kind", ["string", "list", "dictionary", "fixed_size_binary", "time32"])
def test_what_polars_copies(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    arrays = {
        "string": lambda: pa.array(["a", "b" * 40]),
        "list": lambda: pa.array([[1], [2, 3]]),
        "dictionary": lambda: pa.array(["a", "b", "a"]).dictionary_encode(),
        "fixed_size_binary": lambda: pa.array([b"abc", b"def"], pa.binary(3)),
        "time32": lambda: pa.array([1, 2], pa.time32("s")),
    }
    source = arrays[kind]()
    for whole in (source, pa.table({"a": source})):
        before = forebay.bytes_copied()
        interop.to(whole, "polars")
        assert forebay.bytes_copied() > before
        with pytest.raises(BufferError, match="Polars"):
            interop.to(whole, "polars", copy=False)
    before = forebay.bytes_copied()
    shared = pa.table({"n": [1, None], "b": [True, None], "l": pa.array([[1], [2]], pa.large_list(pa.int64()))})
    interop.to(pa.concat_tables([shared, shared]), "polars", copy=False)
    assert forebay.bytes_copied() == before


def test_polars_columns_without_type() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a": [None, None]})
    assert interop.table(frame)["a"].null_count == 2
    assert interop.to(frame, "polars").equals(frame)
    assert len(interop.table(pl.DataFrame({"a": []}))) == 0


def test_nanoarrow() -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    source = np.arange(5, dtype=np.int32)
    array = nanoarrow.Array(interop.column(source))
    assert array.to_pylist() == [0, 1, 2, 3, 4]
    assert interop.column(array).array().data_ptr() == source.ctypes.data


def test_tensors_in_rows() -> None:
    pa = pytest.importorskip("pyarrow")
    source = aligned((5, 2, 3))
    array = interop.to(source, "pyarrow", copy=False)
    assert isinstance(array.type, pa.FixedShapeTensorType) and list(array.type.shape) == [2, 3]
    back = interop.to(array, "numpy", copy=False)
    assert back.ctypes.data == source.ctypes.data and back.shape == (5, 2, 3)


def test_pandas_frames() -> None:
    pd = pytest.importorskip("pandas")
    matrix = aligned((10, 3))
    frame = interop.to(matrix, "pandas", copy=False)
    assert interop.array(frame, copy=False).data_ptr() == matrix.ctypes.data
    mixed = pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]})
    with pytest.raises(BufferError):
        interop.to(mixed, "numpy", copy=False)
    np.testing.assert_array_equal(interop.to(mixed, "numpy"), [[1, 1], [2, 2]])


def test_nan_is_a_number_and_stays_one() -> None:
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    values = np.array([1.0, np.nan, 3.0])
    frame = pd.DataFrame({
        "float": values,
        "masked": pd.array([1, None, 3], dtype="Int64"),
        "object": pd.Series(["x", None, pd.NA], dtype=object),
        "time": np.array([1, "NaT", 3], "M8[us]"),
        "arrow": pd.Series([1.0, None, 3.0], dtype="float64[pyarrow]"),
    }, copy=False)  # fmt: skip
    nulls = {"float": 0, "masked": 1, "object": 2, "time": 1, "arrow": 1}
    whole = interop.table(frame)
    assert {name: whole[name].null_count for name in nulls} == nulls
    assert {name: interop.column(frame[name]).null_count for name in nulls} == nulls
    for copy in (None, True):
        back = interop.to(frame[["float"]], "pyarrow", copy=copy)
        assert back["float"].null_count == 0 and np.isnan(back["float"].to_numpy()[1])
    alone = pd.DataFrame({"float": values}, copy=False)
    before = forebay.bytes_copied()
    shared = interop.table(alone, copy=False)["float"].array(copy=False)
    assert forebay.bytes_copied() == before
    assert shared.data_ptr() == alone["float"].to_numpy().ctypes.data
    if is_installed("polars"):
        assert interop.to(frame, "polars")["float"].null_count() == 0
    indexed = interop.to(frame.set_index("masked"), "pyarrow")
    assert indexed.column_names[-1] == "masked" and indexed["float"].null_count == 0
    assert pa.table(whole)["float"].to_pylist()[0] == 1.0


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__]))
