"""How the objects of each framework become an `Array`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .. import _core
from .._core import Array, Column, Table
from ..framework_modules import is_of, loaded_framework
from .copies import Copy, check_allowed, copies_made, count, counted
from .moved import column_from
from .records import array_of_ctypes, array_of_records
from .times import check_unit

# Types that NumPy has by the package ml_dtypes only: name -> (DLPack's code, bits).
EXTRA_TYPES = {
    "bfloat16": (4, 16),
    "float8_e3m4": (7, 8),
    "float8_e4m3": (8, 8),
    "float8_e4m3b11fnuz": (9, 8),
    "float8_e4m3fn": (10, 8),
    "float8_e4m3fnuz": (11, 8),
    "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8),
}
# Kinds of NumPy: numbers, and what counts time.
_NUMBERS = "biufc"
_TIMES = "mM"


def _array_of_numpy(obj: np.ndarray, copy: Copy) -> Array:
    if isinstance(obj, np.ma.MaskedArray):
        raise TypeError("no protocol hands a mask over: take filled() or compressed() of the masked array")
    extra = EXTRA_TYPES.get(obj.dtype.name)
    if extra is not None:
        return _core.array_of(obj.view(f"u{obj.dtype.itemsize}")).retyped(*extra)
    if obj.dtype.kind in _TIMES:
        check_unit(obj.dtype)
    if obj.dtype.byteorder not in "=|" and obj.dtype.kind in _NUMBERS + _TIMES and obj.dtype != obj.dtype.newbyteorder("="):
        native = obj.astype(obj.dtype.newbyteorder("="))
        return _core.array_of(counted(native, copy, "its byte order is not this machine's"))
    return array_of_records(obj) if obj.dtype.names else _core.array_of(obj)


def torch_without_debts(obj: Any, copy: Copy) -> Any:
    """The tensor with pending conjugation and negation resolved, which torch's C exchange API does not check."""
    if obj.requires_grad:
        raise BufferError("a tensor that requires gradients is not handed over: call detach() first")
    if obj.is_conj() or obj.is_neg():
        check_allowed(copy, "torch has put off a conjugation or negation")
        obj = obj.resolve_conj().resolve_neg()
        count(obj.numel() * obj.element_size())
    return obj


def is_torch(obj: Any) -> bool:
    """True for tensors of torch."""
    return is_of(obj, "torch", "Tensor")


def check_tensorflow(obj: Any) -> None:
    """TypeError for a tensor of TensorFlow that does not hold numbers: asked for its memory, TensorFlow ends the
    process."""
    if is_of(obj, "tensorflow", "Tensor") and obj.dtype.name in ("string", "variant", "resource"):
        raise TypeError(f"a tensor of {obj.dtype.name} of TensorFlow has no array")


def _array_of_tensorflow(obj: Any) -> Array:
    check_tensorflow(obj)
    capsule = loaded_framework("tensorflow").experimental.dlpack.to_dlpack(obj)
    return _core.from_dlpack(capsule).read_only()


def _array_of_series(obj: Any, copy: Copy) -> Array:
    if not speaks_arrow_only(obj):
        return _array_of_numpy(obj.values, copy)
    return _array_of_column(column_from(obj, copy), copy)


def _array_of_frame(obj: Any, copy: Copy) -> Array:
    values = obj.to_numpy(copy=False)
    if values.dtype.kind not in _NUMBERS + _TIMES:
        raise TypeError(f"a DataFrame of {values.dtype} has no array")
    first = obj.iloc[:, 0].values if obj.shape[1] else values
    if not (isinstance(first, np.ndarray) and (values.size == 0 or np.shares_memory(values, first))):
        counted(values, copy, "its columns do not lie together")
    return _array_of_numpy(values, copy)


def _array_of_column(column: Column, copy: Copy) -> Array:
    return column.array(False if copy is False else None)


def _evenly_spaced(columns: list[Array]) -> int | None:
    """The distance in bytes from each column to the next when that is one number, as in a matrix, else None."""
    places = [column.data_ptr() for column in columns]
    steps = {after - before for before, after in zip(places, places[1:])}
    alike = len({(column.dtype, column.strides, column.shape) for column in columns}) == 1
    return steps.pop() if alike and len(steps) == 1 else None


class _Unlocked:
    """The interface of an array, not marked as read-only."""

    def __init__(self, array: Array) -> None:
        interface: dict[str, Any] = dict(array.__array_interface__)  # type: ignore[call-overload]
        interface["data"] = (interface["data"][0], False)
        self.array = array
        self.__array_interface__ = interface


def unlocked(array: Array) -> Array:
    """The same memory, writable."""
    return _core.array_of(_Unlocked(array)) if array.readonly else array


class _Matrix:
    """Columns that lie at equal distances, as one array interface."""

    def __init__(self, columns: list[Array], step: int) -> None:
        first = columns[0]
        interface: dict[str, Any] = dict(first.__array_interface__)  # type: ignore[call-overload]
        interface["shape"] = (first.shape[0], len(columns))
        interface["strides"] = (first.strides[0], step)
        self.columns = columns
        self.__array_interface__ = interface


def columns_of(table: Table) -> list[Column]:
    """By place: several may have one name."""
    return [table.column(place) for place in range(len(table.column_names))]


def _array_of_table(table: Table, copy: Copy) -> Array:
    """Rows by columns; shared when the columns lie at equal distances."""
    columns = [_array_of_column(column, copy) for column in columns_of(table)]
    if not columns:
        raise TypeError("a table without columns has no array")
    if len(columns) > 1:
        step = _evenly_spaced(columns)
        if step is not None:
            return _core.array_of(_Matrix(columns, step))
        matrix = np.stack([np.asarray(column) for column in columns]).T
        return _core.array_of(counted(matrix, copy, "its columns do not lie at equal distances"))
    return _core.array_of(np.asarray(columns[0]).reshape(-1, 1))


def is_table(obj: Any) -> bool:
    """True for what has named columns."""
    if isinstance(obj, Table):
        return True
    return any(
        is_of(obj, module, name)
        for module, name in (
            ("pyarrow", "Table"),
            ("pyarrow", "RecordBatch"),
            ("pandas", "DataFrame"),
            ("polars", "DataFrame"),
            ("duckdb", "DuckDBPyRelation"),
            ("cudf", "DataFrame"),
        )
    )


def speaks_arrow_only(obj: Any) -> bool:
    """True for objects that speak Arrow and cannot be taken as arrays. Numbers of pandas can: as Arrow data, their NaN
    would become null."""
    if is_of(obj, "pandas", "Series"):
        return not isinstance(obj.dtype, np.dtype) or obj.dtype.kind not in _NUMBERS + _TIMES
    return not isinstance(obj, Array) and _core.speaks_arrow(obj)


def _array_without_copy_request(obj: Any, copy: Copy) -> Array:
    if isinstance(obj, np.ndarray):
        return _array_of_numpy(obj, copy)
    if isinstance(obj, (ctypes.Array, ctypes.Structure, ctypes.Union)):
        return _array_of_numpy(array_of_ctypes(obj), copy)
    if is_torch(obj):
        return _core.array_of(torch_without_debts(obj, copy))
    if is_of(obj, "tensorflow", "Tensor"):
        return _array_of_tensorflow(obj)
    if is_of(obj, "jax", "Array"):
        return _core.from_dlpack(obj).read_only()
    if is_of(obj, "pandas", "Series"):
        return _array_of_series(obj, copy)
    if is_of(obj, "pandas", "DataFrame"):
        return _array_of_frame(obj, copy)
    if is_table(obj):
        return _array_of_table(_core.table_from(obj, copy), copy)
    if speaks_arrow_only(obj):
        return _array_of_column(column_from(obj, copy), copy)
    return _core.array_of(obj)


def array_from(obj: Any, copy: Copy) -> Array:
    """The memory of `obj`; with copy=True a copy of it."""
    before = copies_made()
    array = _array_without_copy_request(obj, False if copy is False else None)
    is_own = array.is_copied or copies_made() != before
    return array.copy() if copy is True and not is_own else array
