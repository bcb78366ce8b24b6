"""Recording what runs when, for Perfetto or chrome://tracing."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator

from . import _core

__all__ = ["trace"]


@contextlib.contextmanager
def trace(path: str | os.PathLike[str]) -> Iterator[None]:
    """Records the tasks of all pipelines while the ``with`` block runs, and writes them to `path`.

    The file opens in https://ui.perfetto.dev. One trace at a time: a nested one starts anew.
    """
    _core.trace_start()
    try:
        yield
    finally:
        _core.trace_stop(os.fspath(path))
