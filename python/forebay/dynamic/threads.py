"""How many threads calls may use. There is one set of workers in a process, which calls, arrays and pipelines share;
what DALI's dynamic mode says with these names is kept, and changes nothing else."""

from __future__ import annotations

import os
from typing import Any

from ..errors import InvalidError

__all__ = ["ThreadPool", "get_num_threads", "set_num_threads"]

_MOST_FOR_A_CPU = 100


def _default() -> int:
    for name in ("FOREBAY_ARRAY_WORKERS", "DALI_NUM_THREADS"):
        given = os.environ.get(name, "")
        if given.isdigit() and int(given) > 0:
            return int(given)
    return len(os.sched_getaffinity(0))


def _checked(count: Any) -> int:
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError("The number of threads must be an integer")
    if count <= 0:
        raise InvalidError(f"The number of threads must be positive; got {count}.")
    cpus = os.cpu_count() or 1
    if count > cpus * _MOST_FOR_A_CPU:
        raise InvalidError(f"{count} threads for {cpus} CPUs: at most {_MOST_FOR_A_CPU} for each")
    return count


_set: list[int] = []


def get_num_threads() -> int:
    """What :func:`set_num_threads` was given; else FOREBAY_ARRAY_WORKERS, DALI_NUM_THREADS, or the CPUs that this
    process may use."""
    return _set[0] if _set else _default()


def set_num_threads(n: int | None) -> None:
    """Says how many threads contexts have that are made without a number; None: the default."""
    _set[:] = [] if n is None else [_checked(n)]


class ThreadPool:
    """A number of threads, for contexts.

    :param num_threads: :func:`get_num_threads` without it.
    :param device_id: a GPU; None for none.
    """

    def __init__(self, num_threads: int | None = None, *, device_id: int | None = None) -> None:
        self.num_threads = get_num_threads() if num_threads is None else _checked(num_threads)
        self.device_id = device_id
