"""Recording what runs when, for Perfetto or chrome://tracing."""

from __future__ import annotations

import contextlib
import os
from types import TracebackType

from . import _core

__all__ = ["trace"]


class trace(contextlib.ContextDecorator):
    """Records the tasks of all pipelines and arrays while the ``with`` block runs, and writes them to `path`.

    The file opens in https://ui.perfetto.dev. One trace at a time: a nested one starts anew. What is recorded is
    bounded: of very many tasks the newest are kept.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)

    def __enter__(self) -> None:
        _core.trace_start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _core.trace_stop(self._path)

    @staticmethod
    def report(count: int = 10) -> str:
        """The longest waits of what is being recorded, or was last, as a table: a line for each of the `count` kinds of
        task (the same name, lane and line of the script) that waited longest in all. How many there are; how long they
        waited for others, and after which most; how long for a worker; how long they ran."""
        return _core.trace_report(count)
