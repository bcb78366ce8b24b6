"""How each framework takes an `Array`, a `Column` or a `Table`."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import numpy as np

from .. import _core
from .._core import Array, Column, Table
from ..framework_modules import import_framework
from .copies import Copy, check_allowed, counted, own
from .moved import count_polars_copies
from .sources import EXTRA_TYPES, columns_of
from .times import is_in_days, keeps_its_meaning

_CPU = 1
_CUDA = 2
# The alignment that JAX and TensorFlow require of memory they share.
_ALIGNMENT = 64
_EXTRA_NAMES = {code: name for name, code in EXTRA_TYPES.items()}
_UNSIGNED = 1
_COMPLEX = 5

# When the user asks for a copy, `array` is that copy: `copy` says only whether further copies are allowed.


def _on_host(array: Array, copy: Copy) -> Array:
    return array if array.device[0] != _CUDA else own(array, copy, "it lies on a device")


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
        array = own(array, copy, "it is read-only, which torch does not know")
    if array.has_negative_stride:
        array = own(array, copy, "it has negative strides, which torch does not know")
    if any(stride % array.itemsize for stride in array.strides if array.itemsize):
        array = own(array, copy, "its strides are not multiples of the element size")
    return torch.from_dlpack(array)


class _Reader:
    """A producer for consumers that never write. It speaks DLPack without versions, which has no mark for read-only
    memory."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> object:
        return self._array.dlpack_for_reader()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CPU, 0)


def _dense_and_aligned(array: Array, copy: Copy, name: str) -> Array:
    array = _on_host(array, copy)
    if not array.is_dense:
        return own(array, copy, f"it is not dense and row-major, which {name} asks for")
    if array.nbytes and array.data_ptr() % _ALIGNMENT:
        return own(array, copy, f"it is not aligned to {_ALIGNMENT} bytes, which {name} asks for")
    return array


def _narrowed_by_jax(array: Array, copy: Copy) -> Array:
    """`array` with 64-bit elements narrowed to 32, a counted copy, unless JAX is set to keep 64 bits."""
    code, bits, _ = array.dtype_code
    is_wide = bits == 128 if code == _COMPLEX else bits == 64
    if is_wide and not import_framework("jax").config.jax_enable_x64:
        check_allowed(copy, "JAX narrows it unless jax_enable_x64 is set")
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
    return send(counted(_numpy(array, copy), copy, "it lies in host memory"))


def _cupy(array: Array, copy: Copy) -> Any:
    cupy = import_framework("cupy")
    return _device_array(array, copy, cupy.from_dlpack, cupy.asarray)


def _numba(array: Array, copy: Copy) -> Any:
    cuda = import_framework("numba.cuda")
    return _device_array(array, copy, cuda.as_cuda_array, cuda.to_device)


def _mxnet(array: Array, copy: Copy) -> Any:
    mxnet = import_framework("mxnet")
    if array.readonly:
        array = own(array, copy, "it is read-only, which MXNet does not know")
    if not array.is_dense:
        array = own(array, copy, "it is not dense and row-major, which MXNet asks for")
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
    if is_in_days(array):
        values = counted(values.astype("datetime64[s]"), copy, "pandas has no datetime64[D]")
    if values.ndim == 1:
        return pandas.Series(values, copy=False)
    if values.ndim == 2:
        return pandas.DataFrame(values, copy=False)
    raise TypeError(f"pandas has no object of {values.ndim} dimensions")


def _pandas_values(column: Column, copy: Copy) -> Any:
    """Numbers and times as NumPy's, everything else by pandas' Arrow arrays."""
    pandas = import_framework("pandas")
    pyarrow = import_framework("pyarrow")
    try:
        values = _numpy(column.array(False), copy)
        if values.ndim == 1 and keeps_its_meaning(column):
            return values
    except BufferError:  # nulls, text, ...
        pass
    return pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array(column))


def _pandas_column(column: Column, copy: Copy) -> Any:
    pandas = import_framework("pandas")
    return pandas.Series(_pandas_values(column, copy), name=column.name or None, copy=False)


def _pandas_table(table: Table, copy: Copy) -> Any:
    pandas = import_framework("pandas")
    values = [_pandas_values(column, copy) for column in columns_of(table)]
    frame = pandas.DataFrame(dict(enumerate(values)), copy=False)
    frame.columns = table.column_names  # names may occur twice
    return frame


def _polars(array: Array, copy: Copy) -> Any:
    return _polars_column(_column_of(array, copy), copy)


def _polars_column(column: Column, copy: Copy) -> Any:
    polars = import_framework("polars")
    series = polars.Series(column.name, column)
    count_polars_copies(series.to_frame(), column, copy)
    return series


def _polars_table(table: Table, copy: Copy) -> Any:
    polars = import_framework("polars")
    # Column by column: a frame made of a table keeps the first chunk alone in Polars 1.9.
    frame = polars.DataFrame([polars.Series(column.name, column) for column in columns_of(table)])
    count_polars_copies(frame, table, copy)
    return frame


def _cudf(array: Array, copy: Copy) -> Any:
    cudf = import_framework("cudf")
    if array.device[0] == _CUDA:
        return cudf.Series(array)
    return _cudf_column(_column_of(array, copy), copy)


def _to_device_counted(arrow: Any, copy: Copy) -> Any:
    check_allowed(copy, "it lies in host memory")
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
    """How one framework takes memory; only those with `has_times` are given times."""

    name: str
    module: str
    give_array: Callable[[Array, Copy], Any]
    give_column: Callable[[Column, Copy], Any] | None = None
    give_table: Callable[[Table, Copy], Any] | None = None
    has_times: bool = False


ARRAY_TARGETS = {
    framework.name: framework
    for framework in (
        Framework("numpy", "numpy", _numpy, has_times=True),
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
        Framework("pyarrow", "pyarrow", _pyarrow, _pyarrow_column, _pyarrow_table, has_times=True),
        Framework("pandas", "pandas", _pandas, _pandas_column, _pandas_table, has_times=True),
        Framework("polars", "polars", _polars, _polars_column, _polars_table, has_times=True),
        Framework("cudf", "cudf", _cudf, _cudf_column, _cudf_table, has_times=True),
    )
}


def framework_named(name: str) -> Framework:
    """The framework of that name; ValueError when there is none."""
    known = {**ARRAY_TARGETS, **TABLE_TARGETS}
    if name not in known:
        raise ValueError(f"there is no framework '{name}': there are {', '.join(known)}")
    return known[name]
