"""Which pipeline is being written now, on this thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from .writer import GraphWriter

_local = threading.local()


def _stack() -> list[GraphWriter]:
    if not hasattr(_local, "stack"):
        _local.stack = []
    return _local.stack  # type: ignore[no-any-return]


def push(pipeline: GraphWriter) -> None:
    _stack().append(pipeline)


def pop() -> GraphWriter:
    return _stack().pop()


def current() -> GraphWriter | None:
    """The pipeline being written, or None."""
    stack = _stack()
    return stack[-1] if stack else None


_make_loose: list[Callable[[], GraphWriter]] = []


def set_loose(make: Callable[[], GraphWriter]) -> None:
    """`make` gives a graph for operators that are called outside of any pipeline."""
    _make_loose[:] = [make]


def require() -> GraphWriter:
    """The pipeline being written; where there is none, a graph that belongs to no pipeline yet."""
    pipeline = current()
    return _make_loose[0]() if pipeline is None else pipeline
