"""What arguments of `Pipeline` mean as numbers."""

from __future__ import annotations

import os
from typing import Any, Mapping

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def parse_bytes(limit: int | str | None) -> int:
    """The bytes of 1000, "256MiB", "4 GB"; 0 for None."""
    if limit is None:
        return 0
    if isinstance(limit, int):
        value = limit
    else:
        digits = limit.strip().rstrip("BKMGiIbkmg ")
        unit = limit.strip()[len(digits) :].strip().upper()
        if unit not in _UNITS or not digits:
            raise ValueError(f"memory_limit={limit!r} is no number of bytes; write 268435456 or '256MiB'")
        value = int(float(digits) * _UNITS[unit])
    if value < 0:
        raise ValueError("memory_limit must not be negative")
    return value


def usable_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def queue_depth(depth: Any, pipelined: bool) -> int:
    if isinstance(depth, Mapping):
        depth = depth.get("cpu_size", 2)
    if not isinstance(depth, int) or depth < 1:
        raise ValueError(f"prefetchqueue_depth={depth!r} must be an integer of at least 1")
    return depth if pipelined else 1
