"""What arguments of `Pipeline` mean, checked when they are given."""

from __future__ import annotations

import functools
import inspect
import operator
import os
import re
from typing import Any, Callable, Mapping, TypeVar, cast

from ..element_types import NO_TYPE, DALIDataType
from ..enum_arguments import element_type
from ..suggestions import did_you_mean

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


_Function = TypeVar("_Function", bound=Callable[..., Any])


def refusing_unknown(function: _Function) -> _Function:
    """A method that says of an argument which it does not have what it may be called; types see `function` itself."""
    known = list(inspect.signature(function).parameters)[1:]  # without self

    @functools.wraps(function)
    def checked(self: Any, *args: Any, **arguments: Any) -> Any:
        unknown = arguments.keys() - set(known)
        if unknown:
            name = min(unknown)
            raise TypeError(f"Pipeline has no argument '{name}'{did_you_mean(name, known)}")
        return function(self, *args, **arguments)

    return cast(_Function, checked)


def whole_number(name: str, value: Any, least: int | None = None) -> int:
    """`value`, an integer of Python or NumPy, as an int. TypeError when it is something else, ValueError below
    `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}={value!r} must be an integer, not {type(value).__name__}")
    number = operator.index(value)
    if least is not None and number < least:
        raise ValueError(f"{name}={number} must be at least {least}")
    return number


def parse_bytes(limit: Any) -> int:
    """The bytes of 1000, "256MiB", "4 GB"; 0 for None."""
    if limit is None:
        return 0
    if not isinstance(limit, str):
        if not hasattr(limit, "__index__"):
            raise TypeError(f"memory_limit={limit!r} must be an integer or text such as '256MiB'")
        return whole_number("memory_limit", limit, 0)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]*)", limit.replace(" ", ""), re.IGNORECASE)
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None:
        raise ValueError(f"memory_limit={limit!r} is not a number of bytes; write 268435456 or '256MiB'")
    return int(float(match[1]) * unit)


def _element_type(dtype: Any) -> DALIDataType:
    found = element_type("output_dtype", dtype)
    if found == NO_TYPE:
        raise ValueError("output_dtype=NO_TYPE promises nothing; None allows any type")
    return found


def _dimensions(ndim: Any) -> int:
    return whole_number("output_ndim", ndim, 0)


def _layout(layout: Any) -> str:
    if not isinstance(layout, str):
        raise TypeError(f"output_layout={layout!r} must be text such as 'HWC', not {type(layout).__name__}")
    return str(layout)


_PROMISES: dict[str, Callable[[Any], Any]] = {
    "output_dtype": _element_type, "output_ndim": _dimensions, "output_layout": _layout,
}


def checked_promises(**given: Any) -> dict[str, Any]:
    """output_dtype, output_ndim and output_layout: each None, a value for all outputs, or a list with one or None for
    each."""
    promises: dict[str, Any] = {}
    for name, value in given.items():
        parts = list(value) if isinstance(value, (list, tuple)) else [value]
        parts = [None if part is None else _PROMISES[name](part) for part in parts]
        promises[name] = parts if isinstance(value, (list, tuple)) else parts[0]
    return promises


def usable_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def queue_depth(depth: Any) -> int:
    """How many batches are kept ready. DALI can have two queues; here there is one, as long as the longer."""
    if isinstance(depth, Mapping):
        return max(queue_depth(value) for value in (*depth.values(), 1))
    return whole_number("prefetch_queue_depth", depth, 1)
