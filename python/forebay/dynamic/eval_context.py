"""Evaluation contexts: what calls share that are made within a `with`."""

from __future__ import annotations

import threading
from typing import Any

from ..errors import InvalidError
from . import deferred
from .checkpoint_state import Checkpoint
from .streams import Stream, get_current_stream, stream as stream_of
from .threads import ThreadPool

__all__ = ["EvalContext"]


class EvalContext:
    """``with EvalContext():`` makes it the current one of the thread; leaving it enqueues the deferred calls whose
    results are still wanted. It may be active on one thread at a time.

    Calls of all contexts share the workers of the process, so the number of threads is only kept. So are a GPU and a
    stream: calls run on the CPU.

    :param num_threads: or `thread_pool`.
    :param device_id: a GPU.
    :param cuda_stream: a stream of it.
    """

    def __init__(
        self,
        *,
        num_threads: int | None = None,
        device_id: int | None = None,
        cuda_stream: Any = None,
        thread_pool: ThreadPool | None = None,
    ) -> None:
        if thread_pool is not None and num_threads is not None:
            raise InvalidError("`thread_pool` and `num_threads` cannot be specified together.")
        if thread_pool is not None and thread_pool.device_id != device_id:
            raise InvalidError(f"device_id={device_id}, and the thread pool is for device_id={thread_pool.device_id}")
        self._thread_pool = thread_pool if num_threads is None else ThreadPool(num_threads, device_id=device_id)
        self._device_id = device_id
        self._stream = stream_of(stream=cuda_stream, device_id=device_id)
        self._checkpoint = Checkpoint()
        self._lock = threading.RLock()
        self._depth = 0

    @staticmethod
    def default() -> EvalContext:
        """That of this thread when no other is active."""
        if _local.default is None:
            _local.default = EvalContext()
        return _local.default

    @staticmethod
    def current() -> EvalContext:
        """The innermost active one of this thread."""
        return _local.active[-1] if _local.active else EvalContext.default()

    def __enter__(self) -> EvalContext:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("An EvalContext cannot be active in two threads simultaneously.")
        self._depth += 1
        _local.active.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _local.active.pop()
        self._depth -= 1
        try:
            if self._depth == 0:
                self.evaluate_all()
        finally:
            self._lock.release()

    def evaluate_all(self) -> None:
        """Enqueues all deferred calls whose results are still wanted."""
        deferred.enqueue_all()

    @property
    def thread_pool(self) -> ThreadPool:
        return ThreadPool(device_id=self._device_id) if self._thread_pool is None else self._thread_pool

    @property
    def num_threads(self) -> int:
        return self.thread_pool.num_threads

    @property
    def device_id(self) -> int | None:
        return self._device_id

    @property
    def cuda_stream(self) -> Stream | None:
        return get_current_stream() if self._stream is None else self._stream

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint of this context; `clear()` it before other work uses it."""
        return self._checkpoint


class _Local(threading.local):
    def __init__(self) -> None:
        self.active: list[EvalContext] = []
        self.default: EvalContext | None = None


_local = _Local()
