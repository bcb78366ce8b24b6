"""A process that runs parallel external sources: what it is asked, what it answers, and its loop.

Requests and answers are small messages over a socket that keeps their borders; data lies in shared memory. The process
ends when the socket does, or when the process of the pipeline is gone, in whatever way.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import pickle
import random
import signal
import socket
import struct
import threading
import traceback
import zlib
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

from ..tensors import TensorListCPU, as_numpy
from .shared_segments import SegmentWriter, Written
from .sources import Feed, IterableFeed

MESSAGE_BYTES = 1 << 16
_PARENT_CHECK_S = 1.0


@dataclass(frozen=True)
class Task:
    """What to make: a batch of a source, or its samples from `first` on."""

    number: int
    source: int
    iteration: int
    epoch: int
    position: int  # of the batch's first sample in the epoch
    first: int
    count: int
    skips: bool = False  # nothing is made: an iterable is brought to this iteration; there is no answer


@dataclass(frozen=True)
class Request:
    task: Task
    released: list[int]  # segments that are free again


@dataclass(frozen=True)
class Answer:
    number: int
    outcome: str  # "data", "last" (its epoch ends within these samples), "end" or "error"
    written: Written | None = None


class Runner:
    """Runs one source in this process. Before each call of a callable the random numbers of `random` and NumPy begin
    anew, by what it is asked for: so neither the number of workers nor their speed shows in the data."""

    def __init__(self, feed: Feed, seed: int, number: int) -> None:
        self._feed = feed
        self._seed = (seed, number)
        self._is_iterable = isinstance(feed, IterableFeed)
        self._ended_epoch = -1
        self._epoch = 0
        self.is_last = False  # the epoch ended within what run() returned

    def run(self, task: Task) -> list[Any]:
        """For each output an array or a list of arrays; StopIteration at the end of the epoch."""
        self.is_last = False
        if self._is_iterable and task.epoch <= self._ended_epoch:
            raise StopIteration  # asked for ahead, before the end was known
        if task.epoch != self._epoch:
            self._epoch = task.epoch
            self._feed.reset()
        try:
            return self._batch(task) if self._feed._batch else self._samples(task)
        except StopIteration:
            self._ended_epoch = task.epoch
            raise

    def skip(self, task: Task) -> None:
        self._ended_epoch = -1
        self._epoch = task.epoch
        self._feed.restore(task.iteration, task.epoch, task.position)

    def _get(self, task: Task, index: int) -> Any:
        if not self._is_iterable:
            identity = struct.pack("<5q", *self._seed, task.epoch, task.iteration, index)
            key = zlib.crc32(identity)
            random.seed(key)
            np.random.seed(key)
        return self._feed._get(task.iteration, task.epoch, task.position + index, index)

    def _batch(self, task: Task) -> list[Any]:
        data = self._get(task, 0)
        return [_as_arrays(part) for part in self._feed._parts(data)]

    def _samples(self, task: Task) -> list[Any]:
        rows: list[list[np.ndarray]] = []
        for index in range(task.first, task.first + task.count):
            try:
                data = self._get(task, index)
            except StopIteration:
                if not rows:
                    raise
                self._ended_epoch = task.epoch
                self.is_last = True
                break
            rows.append([_as_array(part) for part in self._feed._parts(data)])
        return [list(column) for column in zip(*rows)]


def _as_array(value: Any) -> np.ndarray:
    array = as_numpy(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{type(value).__name__} of {array.dtype} cannot become a tensor: it holds no numbers of one type")
    return array


def _as_arrays(batch: Any) -> Any:
    """A batch as one array along its first axis, or as a list of arrays."""
    if isinstance(batch, (list, tuple, TensorListCPU)):
        return [_as_array(sample) for sample in batch]
    array = _as_array(batch)
    if array.ndim == 0:
        raise ValueError("a batch needs at least one axis: the samples")
    return array


def _described(error: BaseException) -> list[Any]:
    """The error with its traceback as text; the error itself where it can be sent."""
    text = "".join(traceback.format_exception(error))
    try:
        sent = pickle.dumps(error.with_traceback(None))
        pickle.loads(sent)
    except Exception:  # of a class that pickle cannot bring over: the text has to do
        sent = b""
    return [sent, text]


class _Worker:
    def __init__(self, channel: socket.socket, runners: Callable[[], list[Runner]], least_bytes: int) -> None:
        self._channel = channel
        self._make_runners = runners
        self._runners: list[Runner] | None = None
        self._segments = SegmentWriter(least_bytes)

    def serve(self) -> None:
        while True:
            try:
                message = self._channel.recv(MESSAGE_BYTES)
            except OSError:
                return
            if not message:
                return
            request: Request = pickle.loads(message)
            self._segments.release(request.released)
            try:
                self._answer(request.task)
            except (BrokenPipeError, ConnectionResetError):
                return

    def _runner(self, source: int) -> Runner:
        if self._runners is None:
            self._runners = self._make_runners()
        return self._runners[source]

    def _answer(self, task: Task) -> None:
        outcome, content = "data", None
        try:
            if task.skips:
                self._runner(task.source).skip(task)
                return
            runner = self._runner(task.source)
            content = runner.run(task)
            outcome = "last" if runner.is_last else "data"
        except StopIteration:
            outcome = "end"
        except Exception as error:
            outcome, content = "error", _described(error)
        self._send(task, outcome, content)

    def _send(self, task: Task, outcome: str, content: Any) -> None:
        written, descriptor = None, None
        if content is not None:
            try:
                written, descriptor = self._segments.write(content)
            except OSError as error:  # no room for the data; there is for the error
                outcome = "error"
                written, descriptor = self._segments.write(_described(error))
        message = pickle.dumps(Answer(task.number, outcome, written))
        socket.send_fds(self._channel, [message], [] if descriptor is None else [descriptor])
        if written is not None:
            self._segments.sent(written)


def _end_with_parent() -> None:
    """Ends this process when that of the pipeline is gone, also in the middle of a source."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    first_parent = os.getppid()

    def watch() -> None:
        while not multiprocessing.connection.wait([parent.sentinel], _PARENT_CHECK_S):
            if os.getppid() != first_parent:  # the sentinel may live on in processes forked beside this one
                break
        os._exit(1)

    threading.Thread(target=watch, name="forebay-parent-watch", daemon=True).start()


def work(
    channel: socket.socket, feeds: Sequence[Any], loads: Callable[[bytes], Any] | None, least_bytes: int, seed: int,
    foreign: Sequence[socket.socket] = (),
) -> None:
    """The body of a worker process.

    :param feeds: the sources; as bytes with `loads`.
    :param foreign: sockets that came along by fork() and belong to the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    for each in foreign:
        each.close()
    _end_with_parent()

    def make_runners() -> list[Runner]:
        every = [loads(feed) if loads is not None else feed for feed in feeds]
        return [Runner(feed, seed, number) for number, feed in enumerate(every)]

    _Worker(channel, make_runners, least_bytes).serve()
