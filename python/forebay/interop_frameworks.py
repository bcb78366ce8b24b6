"""What is particular to each framework: how its objects become an `Array`, and how it takes one."""

from __future__ import annotations

import ctypes
import dataclasses
import threading
from typing import Any, Callable

import numpy as np

from . import _core
from ._core import Array, Column, Table
from .framework_modules import import_framework, is_of, loaded_framework
from .interop_moved import column_from, settle_polars
from .interop_records import array_of_ctypes, array_of_records

_CPU = 1
_CUDA = 2
# What JAX and TensorFlow want of memory that they are to share.
_ALIGNMENT = 64
# Types that NumPy has by the package ml_dtypes only: name -> (DLPack's code, bits).
_EXTRA_TYPES = {
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
_EXTRA_NAMES = {code: name for name, code in _EXTRA_TYPES.items()}
_UNSIGNED = 1
_COMPLEX = 5

Copy = bool | None


class _Copies(threading.local):
    """How many this thread has made here; the process's count of bytes has other threads' in it."""

    number = 0


_copies = _Copies()


def _count(size: int) -> None:
    _copies.number += 1
    _core.count_copied(size)


def _own(array: Array, copy: Copy, reason: str) -> Array:
    """A copy of `array`, since `reason`; BufferError when none may be made."""
    if copy is False:
        raise BufferError(f"the memory cannot be shared without a copy: {reason}")
    return array.copy()


def _counted(array: np.ndarray, copy: Copy, reason: str) -> np.ndarray:
    """`array`, which a framework has just copied: counted, or BufferError."""
    if copy is False:
        raise BufferError(f"the memory cannot be shared without a copy: {reason}")
    _count(array.nbytes)
    return array


def _on_host(array: Array, copy: Copy) -> Array:
    return array if array.device[0] != _CUDA else _own(array, copy, "it lies on a device")


# Objects to arrays.


def _array_of_numpy(obj: np.ndarray, copy: Copy) -> Array:
    if isinstance(obj, np.ma.MaskedArray):
        raise TypeError("no protocol hands a mask over: take filled() or compressed() of the masked array")
    extra = _EXTRA_TYPES.get(obj.dtype.name)
    if extra is not None:
        return _core.array_of(obj.view(f"u{obj.dtype.itemsize}")).retyped(*extra)
    if obj.dtype.byteorder not in "=|" and obj.dtype.kind in "iufc" and obj.dtype != obj.dtype.newbyteorder("="):
        native = obj.astype(obj.dtype.newbyteorder("="))
        return _core.array_of(_counted(native, copy, "its byte order is not this machine's"))
    return array_of_records(obj) if obj.dtype.names else _core.array_of(obj)


def torch_without_debts(obj: Any, copy: Copy) -> Any:
    """The tensor as its memory says it; torch's C exchange API, unlike its `__dlpack__`, does not look."""
    if obj.requires_grad:
        raise BufferError("a tensor that requires gradients is not handed over: call detach() first")
    if obj.is_conj() or obj.is_neg():
        if copy is False:
            raise BufferError("the memory cannot be shared without a copy: torch has put off a conjugation or negation")
        obj = obj.resolve_conj().resolve_neg()
        _count(obj.numel() * obj.element_size())
    return obj


def is_torch(obj: Any) -> bool:
    """True for tensors of torch."""
    return is_of(obj, "torch", "Tensor")


def check_tensorflow(obj: Any) -> None:
    """TypeError for a tensor of TensorFlow that is no numbers: TensorFlow ends the process when asked for its memory."""
    if is_of(obj, "tensorflow", "Tensor") and obj.dtype.name in ("string", "variant", "resource"):
        raise TypeError(f"a tensor of {obj.dtype.name} of TensorFlow has no array")


def _array_of_tensorflow(obj: Any) -> Array:
    check_tensorflow(obj)
    capsule = loaded_framework("tensorflow").experimental.dlpack.to_dlpack(obj)
    return _core.from_dlpack(capsule).read_only()


def _array_of_series(obj: Any, copy: Copy) -> Array:
    values = obj.values
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufc":
        return _array_of_numpy(values, copy)
    return _array_of_column(column_from(obj, copy), copy)


def _array_of_frame(obj: Any, copy: Copy) -> Array:
    values = obj.to_numpy(copy=False)
    if values.dtype.kind not in "biufc":
        raise TypeError(f"a DataFrame of {values.dtype} has no array")
    first = obj.iloc[:, 0].values if obj.shape[1] else values
    if not (isinstance(first, np.ndarray) and (values.size == 0 or np.shares_memory(values, first))):
        _counted(values, copy, "its columns do not lie together")
    return _core.array_of(values)


def _array_of_column(column: Column, copy: Copy) -> Array:
    return column.array(False if copy is False else None)


def _evenly_spaced(columns: list[Array]) -> int | None:
    """The distance in bytes from each column to the next when that is one number, as in a matrix, else None."""
    places = [column.data_ptr() for column in columns]
    steps = {after - before for before, after in zip(places, places[1:])}
    alike = len({(column.dtype_code, column.strides, column.shape) for column in columns}) == 1
    return steps.pop() if alike and len(steps) == 1 else None


class _Unlocked:
    """An array's interface without the word that it is read-only."""

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


def _columns(table: Table) -> list[Column]:
    """By place: several may have one name."""
    return [table.column(place) for place in range(len(table.column_names))]


def _array_of_table(table: Table, copy: Copy) -> Array:
    """Rows by columns; shared when the columns lie at equal distances."""
    columns = [_array_of_column(column, copy) for column in _columns(table)]
    if not columns:
        raise TypeError("a table without columns has no array")
    if len(columns) > 1:
        step = _evenly_spaced(columns)
        if step is not None:
            return _core.array_of(_Matrix(columns, step))
        matrix = np.stack([np.asarray(column) for column in columns]).T
        return _core.array_of(_counted(matrix, copy, "its columns do not lie at equal distances"))
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
    """True for objects of Arrow's protocol whose memory is not an array all the same: pandas' numbers are, and would be
    searched for NaN on their way through Arrow."""
    if is_of(obj, "pandas", "Series"):
        return not isinstance(obj.values, np.ndarray) or obj.values.dtype.kind not in "biufc"
    return not isinstance(obj, Array) and _core.speaks_arrow(obj)


def _array_without_copy_request(obj: Any, copy: Copy) -> Array:
    if isinstance(obj, np.ndarray):
        return _array_of_numpy(obj, copy)
    if isinstance(obj, (ctypes.Array, ctypes.Structure)):
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
    before = _copies.number
    array = _array_without_copy_request(obj, False if copy is False else None)
    is_own = array.is_copied or _copies.number != before
    return array.copy() if copy is True and not is_own else array


# Arrays to objects. `copy` is None or False where a copy of their own is meant: with True `array` is one already.


def _numpy(array: Array, copy: Copy) -> np.ndarray:
    array = _on_host(array, copy)
    name = _EXTRA_NAMES.get(array.dtype_code[:2])
    if name is None:
        values = np.asarray(array)
        if values.dtype.hasobject:  # the array itself, as one object
            raise TypeError(f"NumPy has no elements of the type of {array!r}")
        return values
    ml_dtypes = import_framework("ml_dtypes")
    bare = np.asarray(array.retyped(_UNSIGNED, array.dtype_code[1]))
    return bare.view(np.dtype(getattr(ml_dtypes, name)))


def _torch(array: Array, copy: Copy) -> Any:
    torch = import_framework("torch")
    if array.readonly:
        array = _own(array, copy, "it is read-only, which torch does not know")
    if array.has_negative_stride:
        array = _own(array, copy, "it has negative strides, which torch does not know")
    if any(stride % array.itemsize for stride in array.strides if array.itemsize):
        array = _own(array, copy, "its strides are no multiples of its elements")
    return torch.from_dlpack(array)


class _Reader:
    """A producer for a consumer that never writes: without versions, so that read-only memory may go."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> object:
        return self._array.dlpack_for_reader()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CPU, 0)


def _dense_and_aligned(array: Array, copy: Copy, name: str) -> Array:
    array = _on_host(array, copy)
    if not array.is_dense:
        return _own(array, copy, f"it is not dense and row-major, which {name} asks for")
    if array.nbytes and array.data_ptr() % _ALIGNMENT:
        return _own(array, copy, f"it is not aligned to {_ALIGNMENT} bytes, which {name} asks for")
    return array


def _narrowed_by_jax(array: Array, copy: Copy) -> Array:
    """`array`, of which JAX makes one of half the width unless it was told to keep 64 bits: a copy, counted."""
    code, bits, _ = array.dtype_code
    is_wide = bits == 128 if code == _COMPLEX else bits == 64
    if is_wide and not import_framework("jax").config.jax_enable_x64:
        if copy is False:
            raise BufferError("the memory cannot be shared without a copy: JAX narrows it unless jax_enable_x64 is set")
        _core.count_copied(array.nbytes // 2)
    return array


def _jax(array: Array, copy: Copy) -> Any:
    dlpack = import_framework("jax.dlpack")
    array = _narrowed_by_jax(array, copy)
    if array.device[0] == _CUDA:
        return dlpack.from_dlpack(array)
    return dlpack.from_dlpack(_Reader(_dense_and_aligned(array, copy, "JAX")))


def _tensorflow(array: Array, copy: Copy) -> Any:
    tensorflow = import_framework("tensorflow")
    array = _dense_and_aligned(array, copy, "TensorFlow")
    return tensorflow.experimental.dlpack.from_dlpack(array.dlpack_for_reader())


def _device_array(array: Array, copy: Copy, share: Callable[[Array], Any], send: Callable[[np.ndarray], Any]) -> Any:
    """By `share` when the memory is the device's, else a counted copy by `send`."""
    if array.device[0] == _CUDA:
        return share(array)
    return send(_counted(_numpy(array, copy), copy, "it lies in host memory"))


def _cupy(array: Array, copy: Copy) -> Any:
    cupy = import_framework("cupy")
    return _device_array(array, copy, cupy.from_dlpack, cupy.asarray)


def _numba(array: Array, copy: Copy) -> Any:
    cuda = import_framework("numba.cuda")
    return _device_array(array, copy, cuda.as_cuda_array, cuda.to_device)


def _mxnet(array: Array, copy: Copy) -> Any:
    mxnet = import_framework("mxnet")
    if array.readonly:
        array = _own(array, copy, "it is read-only, which MXNet does not know")
    if not array.is_dense:
        array = _own(array, copy, "it is not dense and row-major, which MXNet asks for")
    return mxnet.nd.from_dlpack(array.dlpack_for_reader())


def _column_of(array: Array, copy: Copy) -> Column:
    return _core.column_from(_on_host(array, copy), False if copy is False else None)


def _pyarrow(array: Array, copy: Copy) -> Any:
    return _pyarrow_column(_column_of(array, copy), copy)


def _pyarrow_column(column: Column, copy: Copy) -> Any:
    pyarrow = import_framework("pyarrow")
    return pyarrow.array(column) if column.chunk_count == 1 else pyarrow.chunked_array(column)


def _pyarrow_table(table: Table, copy: Copy) -> Any:
    pyarrow = import_framework("pyarrow")
    return pyarrow.table(table)


def _pandas(array: Array, copy: Copy) -> Any:
    pandas = import_framework("pandas")
    values = _numpy(array, copy)
    if values.ndim == 1:
        return pandas.Series(values, copy=False)
    if values.ndim == 2:
        return pandas.DataFrame(values, copy=False)
    raise TypeError(f"pandas has no object of {values.ndim} dimensions")


def _pandas_values(column: Column, copy: Copy) -> Any:
    """Numbers as NumPy's, everything else by pandas' Arrow arrays."""
    pandas = import_framework("pandas")
    pyarrow = import_framework("pyarrow")
    try:
        values = _numpy(column.array(False), copy)
        if values.ndim == 1:
            return values
    except BufferError:  # nulls, text, ...
        pass
    return pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array(column))


def _pandas_column(column: Column, copy: Copy) -> Any:
    pandas = import_framework("pandas")
    return pandas.Series(_pandas_values(column, copy), name=column.name or None, copy=False)


def _pandas_table(table: Table, copy: Copy) -> Any:
    pandas = import_framework("pandas")
    values = [_pandas_values(column, copy) for column in _columns(table)]
    frame = pandas.DataFrame(dict(enumerate(values)), copy=False)
    frame.columns = table.column_names  # which may be equal
    return frame


def _polars(array: Array, copy: Copy) -> Any:
    return _polars_column(_column_of(array, copy), copy)


def _polars_column(column: Column, copy: Copy) -> Any:
    polars = import_framework("polars")
    series = polars.Series(column.name, column)
    settle_polars(series.to_frame(), column, copy)
    return series


def _polars_table(table: Table, copy: Copy) -> Any:
    polars = import_framework("polars")
    # Column by column: a frame made of a table keeps the first chunk alone in Polars 1.9.
    frame = polars.DataFrame([polars.Series(column.name, column) for column in _columns(table)])
    settle_polars(frame, table, copy)
    return frame


def _cudf(array: Array, copy: Copy) -> Any:
    cudf = import_framework("cudf")
    if array.device[0] == _CUDA:
        return cudf.Series(array)
    return _cudf_column(_column_of(array, copy), copy)


def _to_device_counted(arrow: Any, copy: Copy) -> Any:
    if copy is False:
        raise BufferError("the memory cannot be shared without a copy: it lies in host memory")
    _core.count_copied(arrow.nbytes)
    return arrow


def _cudf_column(column: Column, copy: Copy) -> Any:
    cudf = import_framework("cudf")
    return cudf.Series.from_arrow(_to_device_counted(_pyarrow_column(column, copy), copy))


def _cudf_table(table: Table, copy: Copy) -> Any:
    cudf = import_framework("cudf")
    return cudf.DataFrame.from_arrow(_to_device_counted(_pyarrow_table(table, copy), copy))


@dataclasses.dataclass(frozen=True)
class Framework:
    """How one framework takes memory."""

    name: str
    module: str
    give_array: Callable[[Array, Copy], Any]
    give_column: Callable[[Column, Copy], Any] | None = None
    give_table: Callable[[Table, Copy], Any] | None = None


ARRAY_TARGETS = {
    framework.name: framework
    for framework in (
        Framework("numpy", "numpy", _numpy),
        Framework("torch", "torch", _torch),
        Framework("jax", "jax", _jax),
        Framework("tensorflow", "tensorflow", _tensorflow),
        Framework("cupy", "cupy", _cupy),
        Framework("numba", "numba", _numba),
        Framework("mxnet", "mxnet", _mxnet),
    )
}
TABLE_TARGETS = {
    framework.name: framework
    for framework in (
        Framework("pyarrow", "pyarrow", _pyarrow, _pyarrow_column, _pyarrow_table),
        Framework("pandas", "pandas", _pandas, _pandas_column, _pandas_table),
        Framework("polars", "polars", _polars, _polars_column, _polars_table),
        Framework("cudf", "cudf", _cudf, _cudf_column, _cudf_table),
    )
}


def framework_named(name: str) -> Framework:
    """ValueError for a name that is none."""
    known = {**ARRAY_TARGETS, **TABLE_TARGETS}
    if name not in known:
        raise ValueError(f"there is no framework '{name}': there are {', '.join(known)}")
    return known[name]
