"""The branches of conditionals that are being written on this thread. Each limits the operators added meanwhile to some
samples; whatever ends a branch early, an error above all, is followed by a return to the depth before."""

from __future__ import annotations

import contextlib
import threading
from typing import Iterator

from .data_node import DataNode


class _Open(threading.local):
    """For each branch, innermost last: the guards of its pipeline, and how many these were before."""

    def __init__(self) -> None:
        self.branches: list[tuple[list[tuple[int, int, bool]], int]] = []


_open = _Open()


def depth() -> int:
    """How many branches are open."""
    return len(_open.branches)


def enter(condition: DataNode, wanted: bool) -> int:
    """Operators added from now on run only where `condition` is `wanted`. Gives the depth before."""
    guards = condition._pipeline._guards
    before = depth()
    _open.branches.append((guards, len(guards)))
    guards.append((*condition._edge, wanted))
    return before


def unwind(depth: int) -> None:
    """Ends all branches but this many."""
    while len(_open.branches) > depth:
        guards, count = _open.branches.pop()
        del guards[count:]


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Afterwards the branches are those that were open before."""
    before = depth()
    try:
        yield
    finally:
        unwind(before)


@contextlib.contextmanager
def guarded(condition: DataNode, wanted: bool) -> Iterator[None]:
    """Operators added inside run only where `condition` is `wanted`."""
    before = enter(condition, wanted)
    try:
        yield
    finally:
        unwind(before)
