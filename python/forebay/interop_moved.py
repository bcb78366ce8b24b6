"""Copies that pandas and Polars make of their own accord when they give or take columns: found out by addresses."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from . import _core
from ._core import Column, Table
from .framework_modules import import_framework, is_of

Copy = bool | None


def _settle(moved: int, copy: Copy, reason: str) -> None:
    """Counts the bytes that were moved; BufferError when none may be."""
    if moved and copy is False:
        raise BufferError(f"the memory cannot be shared without a copy: {reason}")
    _core.count_copied(moved)


def _buffers(arrow: Any) -> Iterator[Any]:
    """Those of an array or a chunked array of pyarrow; what is computed for it, which are null, is left out."""
    for chunk in arrow.chunks if hasattr(arrow, "chunks") else [arrow]:
        yield from (buffer for buffer in chunk.buffers()[1:] if buffer is not None)


def settle_polars(frame: Any, table: Column | Table, copy: Copy) -> None:
    """For `frame`, which Polars made of `table`: text, categories, short lists and some times it keeps in another form."""
    if copy is True or all(dtype.is_numeric() for dtype in frame.dtypes):
        return
    given = set(table.buffer_addresses())
    held = frame.to_arrow(compat_level=import_framework("polars").CompatLevel.newest())
    for name, column in zip(held.column_names, held.columns):
        moved = sum(buffer.size for buffer in _buffers(column) if buffer.address not in given)
        _settle(moved, copy, f"Polars keeps the values of {name or 'the column'} in another form")


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


def _settle_pandas(series: Any, column: Column, copy: Copy) -> None:
    given = _addresses_in_pandas(series)
    if not given.isdisjoint(column.buffer_addresses()):
        return
    held = import_framework("pyarrow").chunked_array(column)
    moved = sum(buffer.size for buffer in _buffers(held) if buffer.address not in given)
    _settle(moved, copy, f"pandas keeps the values of {series.name or 'the series'} in another form")


def column_from(obj: Any, copy: Copy) -> Column:
    """A column over the memory of an object of Arrow's protocol; what pandas copies for it is counted, or refused."""
    column = _core.column_from(obj, copy)
    if is_of(obj, "pandas", "Series") and copy is not True:
        _settle_pandas(obj, column, copy)
    return column


def table_from(obj: Any, copy: Copy) -> Table:
    """A table likewise."""
    table = _core.table_from(obj, copy)
    if is_of(obj, "pandas", "DataFrame") and copy is not True:
        for place in range(obj.shape[1]):
            _settle_pandas(obj.iloc[:, place], table.column(place), copy)
    return table
