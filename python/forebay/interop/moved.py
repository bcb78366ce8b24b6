"""Copies that pandas and Polars make of their own accord when they give or take columns: found out by addresses."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from .. import _core
from .._core import Column, Table
from ..framework_modules import import_framework, is_of
from .copies import Copy, check_allowed


def _count_moved(moved: int, copy: Copy, reason: str) -> None:
    """Counts the bytes that were copied; BufferError when copies are not allowed."""
    if moved:
        check_allowed(copy, reason)
    _core.count_copied(moved)


def _buffers(arrow: Any) -> Iterator[Any]:
    """The buffers of an array or a chunked array of pyarrow, without those that say which values are null."""
    for chunk in arrow.chunks if hasattr(arrow, "chunks") else [arrow]:
        yield from (buffer for buffer in chunk.buffers()[1:] if buffer is not None)


def count_polars_copies(frame: Any, table: Column | Table, copy: Copy) -> None:
    """Counts what Polars copied to make `frame` of `table`: text, categories, short lists and some times."""
    if copy is True or all(dtype.is_numeric() for dtype in frame.dtypes):
        return
    given = set(table.buffer_addresses())
    held = frame.to_arrow(compat_level=import_framework("polars").CompatLevel.newest())
    for name, column in zip(held.column_names, held.columns):
        moved = sum(buffer.size for buffer in _buffers(column) if buffer.address not in given)
        _count_moved(moved, copy, f"Polars keeps the values of {name or 'the column'} in another form")


def _addresses_in_pandas(series: Any) -> set[int]:
    """Where the values of a series lie."""
    values = series.array
    if hasattr(values, "_pa_array"):
        return {buffer.address for buffer in _buffers(values.__arrow_array__())}
    for name in ("codes", "_data", "_ndarray"):  # of categories, of numbers with a mask, of times
        part = getattr(values, name, None)
        if isinstance(part, np.ndarray):
            return {int(part.__array_interface__["data"][0])}
    return set()


def _spoken(series: Any) -> Any:
    """The series, or what pyarrow makes of it: before version 3 of pandas only frames speak Arrow."""
    return series if _core.speaks_arrow(series) else import_framework("pyarrow").array(series, from_pandas=True)


def _count_pandas_copies(series: Any, column: Column, copy: Copy) -> None:
    given = _addresses_in_pandas(series)
    if not given.isdisjoint(column.buffer_addresses()):
        return
    held = import_framework("pyarrow").chunked_array(column)
    moved = sum(buffer.size for buffer in _buffers(held) if buffer.address not in given)
    _count_moved(moved, copy, f"pandas keeps the values of {series.name or 'the series'} in another form")


def column_from(obj: Any, copy: Copy) -> Column:
    """A column over the memory of an object of Arrow's protocol; what pandas copies for it is counted, or refused."""
    if is_of(obj, "polars", "Series") and obj.dtype.is_temporal():  # whose own stream fails in Polars 1.9 and 1.20
        return _core.column_from(_core.table_from(obj.to_frame()).column(0), copy)
    is_series = is_of(obj, "pandas", "Series")
    column = _core.column_from(_spoken(obj) if is_series else obj, copy)
    if is_series and copy is not True:
        _count_pandas_copies(obj, column, copy)
    return column


def _with_own_nan(frame: Any, table: Table) -> Table:
    """`table`, which pandas made of `frame`, with NaN where pandas has put null for it."""
    for place, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, np.dtype) and dtype.kind == "f" and table.column(place).null_count:
            table = table.with_column(place, _core.column_from(frame.iloc[:, place].to_numpy()))
    return table


def table_from(obj: Any, copy: Copy) -> Table:
    """The same for a table."""
    if not is_of(obj, "pandas", "DataFrame"):
        return _core.table_from(obj, copy)
    table = _core.table_from(obj)
    for place in range(obj.shape[1] if copy is not True else 0):
        _count_pandas_copies(obj.iloc[:, place], table.column(place), copy)
    table = _with_own_nan(obj, table)
    return _core.table_from(table, True) if copy else table
