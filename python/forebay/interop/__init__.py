"""Memory handed from framework to framework: shared where it can be, copied and counted where it must.

    forebay.interop.to(array, "torch")              # shares; copies only where torch could not take the memory
    forebay.interop.to(array, "torch", copy=False)  # never copies: BufferError says why it cannot
    forebay.interop.to(table, "polars")

Everything goes through two classes. An `Array` is memory with an element type, a shape and strides; it speaks DLPack,
the buffer protocol and the array interfaces. A `Column` or `Table` lies in Arrow's layout and speaks Arrow's capsules.
`forebay.bytes_copied()` tells what was copied so far. The program `forebay interop`
prints the conversion table.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, ParamSpec, TypeVar

from .. import _core
from .._core import Array, Column, Table
from .frameworks import ARRAY_TARGETS, TABLE_TARGETS, framework_named
from .moved import column_from, table_from
from .records import has_records
from .sources import array_from, check_tensorflow, is_table, is_torch, speaks_arrow_only, torch_without_debts, unlocked
from .times import check_target

__all__ = ["Array", "Column", "Table", "array", "column", "from_dlpack", "promised_unwritten", "table", "to"]


_Parameters = ParamSpec("_Parameters")
_Returned = TypeVar("_Returned")


def _is_refusal(error: Exception) -> bool:
    """Whether a framework raised the error to refuse memory: torch, JAX and TensorFlow each say it in another way."""
    is_ours = isinstance(error, (ValueError, LookupError, OSError))  # of this library, though they are RuntimeErrors too
    return isinstance(error, RuntimeError) and not is_ours or type(error).__module__.startswith("tensorflow.")


def _refusals_named(function: Callable[_Parameters, _Returned]) -> Callable[_Parameters, _Returned]:
    """A framework's refusal as a TypeError, in one line; every other error as it was raised."""

    @functools.wraps(function)
    def call(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Returned:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if not _is_refusal(error):
                raise
            name = type(args[0] if args else None).__name__
            reason = str(error).strip().partition("\n")[0]
            raise TypeError(f"a {name} that cannot be handed over: {reason}") from error

    return call


def _asked(copy: bool | None) -> bool | None:
    """`copy` as None, False or True: 0 and NumPy's False become `False`."""
    return None if copy is None else bool(copy)


@_refusals_named
def to(obj: Any, target: str, copy: bool | None = None) -> Any:
    """`obj` as an object of the framework named `target`: "numpy", "torch", "jax", "tensorflow", "cupy", "numba",
    "mxnet", "pyarrow", "pandas", "polars" or "cudf".

    copy=None shares the memory wherever the target can bear it and copies (counted) where not. copy=False never copies:
    BufferError, which says why, where it would have to. copy=True always copies.

    Arrays of records go to "numpy" as they lie there and to frameworks with tables as tables, which is a conversion;
    DLPack has no records, so others get the members one by one.

    Times (NumPy's datetime64 and timedelta64, Arrow's timestamps, durations and dates) go to "numpy" and to frameworks
    with tables; NaT becomes null and null NaT. Others have none: TypeError. NaN is a number and stays one.

    Memory that its owner calls read-only is shared with frameworks that know the notion (NumPy, JAX, Arrow's); for one
    that does not, False raises and None copies. ImportError when the framework is not installed, TypeError for an
    object that speaks no protocol, ValueError for an unknown name.
    """
    copy = _asked(copy)
    framework = framework_named(target)
    if (is_table(obj) or has_records(obj)) and framework.give_table is not None:
        return framework.give_table(table(obj, copy=copy), copy)
    if framework.give_column is not None and speaks_arrow_only(obj):
        return framework.give_column(column_from(obj, copy), copy)
    source = array_from(obj, copy)
    if not framework.has_times:
        check_target(source, framework.name)
    return framework.give_array(source, copy)


@_refusals_named
def array(obj: Any, *, copy: bool | None = None) -> Array:
    """The memory of `obj`, an array or tensor of any framework, or columns of numbers without nulls.

    Structured arrays of NumPy and structures of ctypes are arrays of records: `fields` names their members,
    `field(name)` shares one of them, and they go on by the buffer protocol. TypeError for records of objects, pointers
    or numbers of foreign byte order.
    """
    return array_from(obj, _asked(copy))


def promised_unwritten(obj: Any) -> Array:
    """The memory of `obj`, not marked as read-only, for frameworks without read-only memory. The caller promises that
    nothing writes to it."""
    return unlocked(array_from(obj, False))


@_refusals_named
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """from_dlpack of the array API standard. `device`: None, "cpu" or (1, 0)."""
    copy = _asked(copy)
    check_tensorflow(x)
    if is_torch(x):
        x = torch_without_debts(x, copy)
    if device in ("cpu", (1, 0)) and hasattr(x, "__dlpack_device__") and tuple(x.__dlpack_device__()) == (1, 0):
        device = None  # it lies there already; producers older than version 1 cannot be asked
    return _core.from_dlpack(x, device=device, copy=copy)


@_refusals_named
def column(obj: Any, *, copy: bool | None = None) -> Column:
    """A column over the memory of an Arrow object or an array; an array of several dimensions gives a tensor a row."""
    copy = _asked(copy)
    if isinstance(obj, Column):
        return _core.column_from(obj, copy) if copy else obj
    if speaks_arrow_only(obj):
        return column_from(obj, copy)
    return _core.column_from(array_from(obj, copy), False if copy is False else None)


@_refusals_named
def table(obj: Any, *, copy: bool | None = None) -> Table:
    """A table over the memory of an Arrow object, or of a mapping of names to columns or arrays of equal length.

    An array of records becomes a column for each of their members. That moves every byte (counted), so copy=False
    raises BufferError; to share a single member as it lies there, take `array(obj).field(name)`.
    """
    copy = _asked(copy)
    if has_records(obj):
        return _core.table_of_records(array_from(obj, None), copy)
    if isinstance(obj, Mapping):
        return _core.table_of([(str(name), column(part, copy=copy)) for name, part in obj.items()])
    if isinstance(obj, Table) and not copy:
        return obj
    return table_from(obj, copy)


def targets() -> list[str]:
    """The names that `to` knows."""
    return [*ARRAY_TARGETS, *TABLE_TARGETS]
