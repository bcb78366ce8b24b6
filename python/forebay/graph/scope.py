"""Which pipeline is being written now, on this thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

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


def require(what: str) -> GraphWriter:
    """The pipeline being written; RuntimeError saying that `what` needs one."""
    pipeline = current()
    if pipeline is None:
        raise RuntimeError(
            f"{what} is used outside of a pipeline; call it in a function decorated with @pipeline_def, "
            "or inside `with pipeline:`"
        )
    return pipeline
