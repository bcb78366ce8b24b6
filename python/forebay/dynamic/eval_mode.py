"""When calls are run. Names are those of DALI's dynamic mode."""

from __future__ import annotations

import enum
import threading

__all__ = ["EvalMode"]


class EvalMode(enum.Enum):
    """When an operator runs that is called. ``with EvalMode.sync_cpu:`` sets it for the thread.

    deferred: when its result is looked at, or is needed for one that is; not at all if that never happens. Mistakes
    in the arguments may be told only then.
    eager, which is the default: at once, on the engine's workers; the call returns meanwhile.
    sync_cpu, sync_full: the call returns when it has run, or raises what went wrong.
    """

    deferred = 1
    eager = 2
    sync_cpu = 3
    sync_full = 4
    default = 2

    def __enter__(self) -> EvalMode:
        _local.modes.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _local.modes.pop()

    @staticmethod
    def current() -> EvalMode:
        """Of this thread."""
        return _local.modes[-1]


class _Modes(threading.local):
    def __init__(self) -> None:
        self.modes = [EvalMode.eager]


_local = _Modes()
