"""external_source(parallel=True): the source runs in worker processes.

Batches are asked for ahead, `prefetch_queue_depth` of them, and delivered in their order, whoever makes them. A
callable with batch=False has its batch cut among the workers; one with batch=True has whole batches made by different
workers; an iterable has a worker of its own, which steps through it.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any, Iterable, Mapping, NoReturn, Sequence

from ..tensors import TensorCPU
from . import function_pickling
from .source_worker import Task, received
from .sources import CallableFeed, Feed, IterableFeed
from .worker_pool import START_METHODS, Sources, WorkerPool, WorkerTraceback

__all__ = ["ParallelFeed", "check_start_method", "start_workers"]

_LEAST_BYTES = 1 << 16


class ParallelFeed(Feed):
    """Asks the worker processes for what `inner` gives.

    :param depth: batches asked for ahead of the one that is needed.
    :param bytes_hint: bytes of a sample, where the user knows.
    """

    def __init__(self, inner: Feed, depth: int, bytes_hint: int) -> None:
        super().__init__(inner._forms, inner._multiple, inner._batch)
        if isinstance(inner, CallableFeed) and not inner._takes_index:
            raise TypeError(
                "external_source: with parallel=True a callable takes one argument, which says what it is asked for: "
                "several processes call it, in no order"
            )
        if not isinstance(inner, (CallableFeed, IterableFeed)):
            raise ValueError("external_source: parallel=True needs a `source`")
        self.inner = inner
        inner._forms = [replace(form, copy=False) for form in inner._forms]  # a worker copies once, to the shared memory
        self.bytes_hint = bytes_hint
        self._depth = depth
        self._is_iterable = isinstance(inner, IterableFeed)
        self.keeps_its_place = inner.keeps_its_place
        self._pool: WorkerPool | None = None
        self._number = 0  # among the parallel sources of the pipeline
        self._asked: dict[tuple[int, int, int, int], list[int]] = {}  # the tasks of a batch
        self._ended_epoch = -1
        self._ends = 0  # of a source that keeps its place: its own
        self._given = 0  # of its batches

    def attach(self, pool: WorkerPool, number: int) -> None:
        self._pool = pool
        self._number = number

    def next(self, iteration: int, epoch: int, position: int, max_batch_size: int) -> list[list[TensorCPU]]:
        if epoch == self._ended_epoch:
            raise StopIteration
        assert self._pool is not None
        key = self._key(iteration, epoch, position, max_batch_size)
        if key not in self._asked:
            self._forget()
            self._ask(key)
        tasks = self._asked.pop(key)
        self._ask_ahead(key)
        parts: list[Any] = []
        broken: Any = None  # the first error: the batch is lost as one
        for place, task in enumerate(tasks):
            answer, content = self._pool.wait(task)
            if answer.outcome == "data":
                parts.append(content)
            elif answer.outcome == "error":
                broken = broken or content
            if answer.ends:  # after what there is
                for other in tasks[place + 1 :]:
                    self._pool.forget(other)
                self._end(epoch)
                break
        if broken:
            _raise(*broken)
        if not parts:
            raise StopIteration
        return [[sample for column in columns for sample in received(column)] for columns in zip(*parts)]

    def reset(self) -> None:
        self._ended_epoch = -1

    def check_restore(self) -> None:
        self.inner.check_restore()

    def restore(self, iteration: int, epoch: int, position: int) -> None:
        self._forget()
        self._ended_epoch = -1
        if isinstance(self.inner, IterableFeed) and (iteration if self._batch else position):
            self.inner.note_use()
        if self._is_iterable and self._pool is not None:
            mark = self._ends if self.keeps_its_place else epoch
            task = Task(0, self._number, iteration, mark, position, 0, 0, skips=True)
            answer, content = self._pool.wait(self._pool.submit(task, self._worker()))
            if answer.outcome == "error":
                _raise(*content)

    def _key(self, iteration: int, epoch: int, position: int, size: int) -> tuple[int, int, int, int]:
        """What a batch is asked for by. One that keeps its place is numbered across the epochs that other sources end, so
        that what was made ahead in one of them comes in the next."""
        if self.keeps_its_place:
            self._given += 1
            epoch, iteration, position = self._ends, self._given, self._given * size
        return (epoch, iteration, 0 if self._batch else position, size)

    def _end(self, epoch: int) -> None:
        self._ended_epoch = epoch
        self._ends += 1
        self._forget()

    def _worker(self) -> int | None:
        """The worker that an iterable belongs to."""
        assert self._pool is not None
        return self._number % len(self._pool) if self._is_iterable else None

    def _ask(self, key: tuple[int, int, int, int]) -> None:
        assert self._pool is not None
        epoch, iteration, position, size = key
        if isinstance(self.inner, IterableFeed):
            self.inner.note_use()
        cuts = 1 if self._batch or self._is_iterable else min(len(self._pool), size)
        tasks = []
        for cut in range(cuts):
            first = cut * size // cuts
            count = (cut + 1) * size // cuts - first
            task = Task(0, self._number, iteration, epoch, position, first, count)
            tasks.append(self._pool.submit(task, self._worker()))
        self._asked[key] = tasks

    def _ask_ahead(self, key: tuple[int, int, int, int]) -> None:
        """Asks for the batches behind that of `key`."""
        epoch, iteration, position, size = key
        for ahead in range(1, self._depth + 1):
            later = (epoch, iteration + ahead, 0 if self._batch else position + ahead * size, size)
            if later not in self._asked:
                self._ask(later)

    def _forget(self) -> None:
        for tasks in self._asked.values():
            for task in tasks:
                if self._pool is not None:
                    self._pool.forget(task)
        self._asked.clear()


def _raise(sent: bytes, text: str) -> NoReturn:
    """An error of a worker as :func:`source_worker.described` has it."""
    error: Exception = RuntimeError(f"the source of an external_source failed {WorkerTraceback(text)}")
    if sent:
        loaded = pickle.loads(sent)
        error = loaded if isinstance(loaded, Exception) else error
    raise error from WorkerTraceback(text)


def check_start_method(method: Any, pickler: Any) -> None:
    if method not in START_METHODS:
        raise ValueError(f"py_start_method={method!r} must be one of {', '.join(map(repr, START_METHODS))}")
    if pickler is not None and method == "fork":
        raise ValueError("`py_callback_pickler` has nothing to do with py_start_method='fork': nothing is pickled")


class _Unpickler:
    """Loads by the user's pickler; goes to the workers itself."""

    def __init__(self, pickler: Any, arguments: Mapping[str, Any]) -> None:
        self._pickler = pickler
        self._arguments = arguments

    def __reduce__(self) -> Any:
        is_module = type(self._pickler).__name__ == "module"
        return (_unpickler, (self._pickler.__name__ if is_module else self._pickler, is_module, self._arguments))

    def __call__(self, data: bytes) -> Any:
        return self._pickler.loads(data, **self._arguments)


def _unpickler(pickler: Any, is_module: bool, arguments: Mapping[str, Any]) -> _Unpickler:
    import importlib

    return _Unpickler(importlib.import_module(pickler) if is_module else pickler, arguments)


def _pickled(feeds: Sequence[Feed], pickler: Any) -> tuple[list[bytes], Any]:
    """The feeds as bytes, and what loads them."""
    module, *rest = pickler if isinstance(pickler, (tuple, list)) else (pickler or function_pickling,)
    for_dumps, for_loads = [*rest, {}, {}][:2]
    sent = []
    for feed in feeds:
        try:
            sent.append(module.dumps(feed, **for_dumps))
        except Exception as error:
            raise TypeError(
                "external_source: this source cannot be sent to a worker process: make it from functions and classes "
                "of a module, or give the pipeline a `py_callback_pickler`"
            ) from error
    return sent, _Unpickler(module, for_loads)


def start_workers(
    feeds: Iterable[Feed], count: int, method: str, pickler: Any, batch_size: int, seed: int
) -> WorkerPool | None:
    """The processes for those feeds that are parallel; None where none is."""
    parallel = [feed for feed in feeds if isinstance(feed, ParallelFeed)]
    if not parallel:
        return None
    inner: Sequence[Any] = [feed.inner for feed in parallel]
    loads = None
    if method != "fork":
        inner, loads = _pickled(inner, pickler)
    hint = max(feed.bytes_hint for feed in parallel) * batch_size
    pool = WorkerPool(count, method, Sources(inner, loads, max(hint, _LEAST_BYTES), seed))
    for number, feed in enumerate(parallel):
        feed.attach(pool, number)
    return pool
