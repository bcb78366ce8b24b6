"""Threads and processes that make batches. What processes make comes back in shared memory."""

from __future__ import annotations

import concurrent.futures
import contextlib
import mmap
import multiprocessing
import os
import random
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy

from . import draws
from .batchify import from_numpy, to_numpy


@dataclass(frozen=True)
class Job:
    """The samples of a batch, and the key of its random choices."""

    indices: list[int]
    key: int

    @staticmethod
    def new(indices: list[int]) -> Job:
        return Job(list(indices), draws.new_key())


@dataclass(frozen=True)
class Work:
    """Makes batches of a data set."""

    dataset: Any
    batchify: Callable[[list[Any]], Any]

    def __call__(self, job: Job) -> Any:
        with draws.drawing_by(job.key):
            return self.batchify([self.dataset[index] for index in job.indices])


class Pending(Protocol):
    """A batch that is being made."""

    def result(self, timeout: float | None = None, /) -> Any: ...
    def cancel(self) -> object: ...  # nobody wants it any more


class Pool(Protocol):
    def submit(self, job: Job) -> Pending: ...
    def close(self) -> None: ...


class Threads:
    def __init__(self, count: int, work: Work) -> None:
        self._executor = concurrent.futures.ThreadPoolExecutor(count, thread_name_prefix="forebay-loader")
        self._work = work

    def submit(self, job: Job) -> Pending:
        return self._executor.submit(self._work, job)

    def close(self) -> None:
        self._executor.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class _Stored:
    """An array in a file of shared memory."""

    offset: int
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class _Sent:
    path: str
    size: int
    batch: Any  # of _Stored


_ALIGNMENT = 64
_work: Work | None = None  # of a worker process


def _begin(work: Work) -> None:
    global _work
    _work = work


def _make(job: Job, folder: str) -> _Sent:
    """In a worker process: a batch, its arrays in a file."""
    assert _work is not None
    _seed(job.key)
    batch = to_numpy(_work(job))
    descriptor, path = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            stored = _store(batch, file)
            return _Sent(path, file.tell(), stored)
    except BaseException:  # no room
        os.unlink(path)
        raise


def _seed(key: int) -> None:
    """Random numbers of a batch that a worker makes: other ones for each batch, the same for any number of workers."""
    from ... import nd

    nd.random.seed(key)
    words = numpy.random.SeedSequence(key).generate_state(8)
    numpy.random.seed(words[:4])
    random.seed(words[4:].tobytes())


def _store(batch: Any, file: Any) -> Any:
    if isinstance(batch, list):
        return [_store(member, file) for member in batch]
    if not isinstance(batch, numpy.ndarray):
        return batch
    offset = -(-file.tell() // _ALIGNMENT) * _ALIGNMENT
    file.seek(offset)
    file.write(numpy.ascontiguousarray(batch).data)
    return _Stored(offset, batch.shape, batch.dtype.str)


def _taken(sent: _Sent) -> Any:
    """The batch over the memory of the file, which lives as long as its arrays."""
    with open(sent.path, "r+b") as file:
        os.unlink(sent.path)
        memory = mmap.mmap(file.fileno(), sent.size) if sent.size else None
    return from_numpy(_over(sent.batch, memory))


def _over(batch: Any, memory: mmap.mmap | None) -> Any:
    if isinstance(batch, list):
        return [_over(member, memory) for member in batch]
    if not isinstance(batch, _Stored):
        return batch
    count = int(numpy.prod(batch.shape))
    if memory is None or count == 0:
        return numpy.empty(batch.shape, batch.dtype)
    return numpy.frombuffer(memory, batch.dtype, count, batch.offset).reshape(batch.shape)


class _Awaited:
    def __init__(self, future: concurrent.futures.Future[_Sent]) -> None:
        self._future = future

    def result(self, timeout: float | None = None) -> Any:
        return _taken(self._future.result(timeout))

    def cancel(self) -> None:
        if not self._future.cancel():
            self._future.add_done_callback(_dropped)


def _dropped(future: concurrent.futures.Future[_Sent]) -> None:
    with contextlib.suppress(concurrent.futures.CancelledError, FileNotFoundError):
        if future.exception() is None:
            os.unlink(future.result().path)


def _end(executor: concurrent.futures.ProcessPoolExecutor, folder: tempfile.TemporaryDirectory[str]) -> None:
    executor.shutdown(cancel_futures=True)
    folder.cleanup()


class Processes:
    """Processes, forked when the first batch is asked for, so that data sets need not be sent."""

    def __init__(self, count: int, work: Work) -> None:
        shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
        self._folder = tempfile.TemporaryDirectory(prefix="forebay-loader-", dir=shared)
        context = multiprocessing.get_context("fork")
        self._executor = concurrent.futures.ProcessPoolExecutor(count, context, _begin, (work,))
        self._finish = weakref.finalize(self, _end, self._executor, self._folder)

    def submit(self, job: Job) -> Pending:
        return _Awaited(self._executor.submit(_make, job, self._folder.name))

    def close(self) -> None:
        self._finish()
