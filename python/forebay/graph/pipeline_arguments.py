"""What arguments of `Pipeline` mean as numbers."""

from __future__ import annotations

import operator
import os
import re
from typing import Any, Mapping

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def whole_number(name: str, value: Any, least: int | None = None) -> int:
    """`value` as an int, be it Python's or NumPy's; TypeError or ValueError for what is none, or is below `least`."""
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
        raise ValueError(f"memory_limit={limit!r} is no number of bytes; write 268435456 or '256MiB'")
    return int(float(match[1]) * unit)


def usable_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def queue_depth(depth: Any) -> int:
    """Batches kept ready. DALI may have queues of two lengths; here there is one, of the longer."""
    if isinstance(depth, Mapping):
        return max(queue_depth(value) for value in (*depth.values(), 1))
    return whole_number("prefetch_queue_depth", depth, 1)
