"""A process that runs parallel external sources: what it is asked, what it answers, and its loop.

Requests and answers are small messages over a socket that keeps their borders; data lies in shared memory. The process
ends when the socket does, or when the process of the pipeline is gone, in whatever way.
"""

from __future__ import annotations

import errno
import gc
import multiprocessing
import multiprocessing.connection
import os
import pickle
import random
import select
import signal
import socket
import struct
import threading
import traceback
import zlib
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

from ..tensors import TensorCPU, TensorListCPU, as_numpy, check_is_batch, to_batch
from .shared_segments import SegmentWriter, Written
from .sources import Feed, IterableFeed, OutputForm

MESSAGE_BYTES = 1 << 16
_PARENT_CHECK_S = 1.0
_RETRY_MS = 5
_MOST_TOLD = MESSAGE_BYTES // 8  # of an error, in a message


@dataclass(frozen=True)
class Task:
    """What to make: a batch of a source, or its samples from `first` on."""

    number: int
    source: int
    iteration: int
    epoch: int  # of a source that keeps its place, how often it has ended
    position: int  # of the batch's first sample in the epoch
    first: int
    count: int
    skips: bool = False  # nothing is made: an iterable is brought to this iteration


@dataclass(frozen=True)
class Request:
    task: Task
    released: list[int]  # segments that are free again


@dataclass(frozen=True)
class Answer:
    number: int
    outcome: str  # "data", "nothing" or "error"
    ends: bool  # its epoch, within these samples or before them
    written: Written | None = None
    error: list[Any] | None = None  # as :func:`described` gives it, where there is no memory to write it to


class Runner:
    """Runs one source in this process. Before each call of a callable the random numbers of `random` and NumPy begin
    anew, by what it is asked for: so neither the number of workers nor their speed shows in the data."""

    def __init__(self, feed: Feed, seed: int, number: int, segments: SegmentWriter) -> None:
        self._feed = feed
        self._seed = (seed, number)
        self._is_iterable = isinstance(feed, IterableFeed)
        self._ended_epoch = -1
        self._epoch = 0
        self._segments = segments
        self.ends = False  # the epoch, within what run() was asked for

    def run(self, task: Task) -> list[Any]:
        """For each output what :func:`_sendable` gives; StopIteration at the end of the epoch."""
        self.ends = False
        if self._is_iterable and task.epoch <= self._ended_epoch:
            self.ends = True
            raise StopIteration  # asked for ahead, before the end was known
        if task.epoch != self._epoch:
            self._epoch = task.epoch
            self._feed.reset()
        return self._batch(task) if self._feed._batch else self._samples(task)

    def skip(self, task: Task) -> None:
        self._epoch = task.epoch
        self._ended_epoch = -1
        self._feed.restore(task.iteration, task.epoch, task.position)
        if self._feed._has_ended:
            self._ended_epoch = task.epoch

    def _sample(self, task: Task, index: int) -> list[TensorCPU]:
        """Copied as it comes, as the source may fill its memory anew for the next: to where it is to be written."""
        return [self._copied(tensor) for tensor in self._feed._take_sample(self._get(task, index))]

    def _copied(self, tensor: TensorCPU) -> TensorCPU:
        array = tensor.as_array()
        room = self._segments.room(array.nbytes)
        if room is None:
            return TensorCPU(array, tensor.layout(), True)
        copy = room.view(array.dtype).reshape(array.shape)
        np.copyto(copy, array)
        return TensorCPU(copy, tensor.layout())

    def _get(self, task: Task, index: int) -> Any:
        if not self._is_iterable:
            identity = struct.pack("<5q", *self._seed, task.epoch, task.iteration, index)
            key = zlib.crc32(identity)
            random.seed(key)
            np.random.seed(key)
        return self._feed._get(task.iteration, task.epoch, task.position + index, index)

    def _note_end(self, task: Task) -> None:
        self._ended_epoch = task.epoch
        self.ends = True

    def _batch(self, task: Task) -> list[Any]:
        try:
            data = self._get(task, 0)
        except StopIteration:
            self._note_end(task)
            raise
        return [_sendable_batch(form, part) for form, part in zip(self._feed._forms, self._feed._parts(data))]

    def _samples(self, task: Task) -> list[Any]:
        places = range(task.first, task.first + task.count)
        self._segments.begin()
        taken = self._feed._take_samples(places, lambda index: self._sample(task, index))
        if taken.has_ended:
            self._note_end(task)
        return [_sendable(column) for column in taken.columns()]


def _sendable(samples: Sequence[TensorCPU]) -> Sequence[Any]:
    """Samples as the layout, one for all or one each, and arrays."""
    layouts = [sample.layout() for sample in samples]
    arrays = [sample.as_array() for sample in samples]
    return (layouts[0] if len(set(layouts)) == 1 else layouts, arrays)


def _sendable_batch(form: OutputForm, part: Any) -> Sequence[Any]:
    """A batch alike; what is one array along its first axis stays one."""
    if isinstance(part, (list, tuple, TensorListCPU)):
        return _sendable(form.batch(part))
    check_is_batch(part)
    array = as_numpy(part)
    samples = form.batch(array)
    return (samples[0].layout() if samples else "", array)


def received(sent: Sequence[Any]) -> list[TensorCPU]:
    """The samples again, over the memory of the arrays."""
    layouts, arrays = sent
    if isinstance(arrays, np.ndarray):
        return to_batch(arrays, layouts)
    every = [layouts] * len(arrays) if isinstance(layouts, str) else layouts
    return [TensorCPU(array, layout) for array, layout in zip(arrays, every)]


def described(error: BaseException) -> list[Any]:
    """The error with its traceback as text; the error itself where it can be sent."""
    text = "".join(traceback.format_exception(error))
    try:
        sent = pickle.dumps(error.with_traceback(None))
        pickle.loads(sent)
    except Exception:  # of a class that pickle cannot bring over: the text has to do
        sent = b""
    return [sent, text]


class _Worker:
    def __init__(
        self, channel: socket.socket, runners: Callable[[SegmentWriter], list[Runner]], least_bytes: int
    ) -> None:
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
            self._runners = self._make_runners(self._segments)
        return self._runners[source]

    def _answer(self, task: Task) -> None:
        outcome, ends, content = "data", False, None
        try:
            runner = self._runner(task.source)
            if task.skips:
                runner.skip(task)
            else:
                try:
                    content = runner.run(task)
                finally:
                    ends = runner.ends
        except StopIteration:
            outcome = "nothing"
        except Exception as error:
            outcome, content = "error", described(error)
        self._send(task, outcome, ends, content)

    def _send(self, task: Task, outcome: str, ends: bool, content: Any) -> None:
        written, descriptor, untold = None, None, None
        if content is not None:
            try:
                written, descriptor = self._segments.write(content)
            except OSError as error:  # no room for the data; there may be for the error
                outcome = "error"
                told = described(error)
                try:
                    written, descriptor = self._segments.write(told)
                except OSError:
                    untold = [told[0] if len(told[0]) <= _MOST_TOLD else b"", told[1][-_MOST_TOLD:]]
        message = pickle.dumps(Answer(task.number, outcome, ends, written, untold))
        self._send_when_possible(message, [] if descriptor is None else [descriptor])
        if written is not None:
            self._segments.sent(written)

    def _send_when_possible(self, message: bytes, descriptors: list[int]) -> None:
        """Waits until descriptors are read where the user's processes have as many under way as one may have open."""
        while True:
            try:
                socket.send_fds(self._channel, [message], descriptors)
                return
            except OSError as error:
                if error.errno != errno.ETOOMANYREFS:
                    raise
            poll = select.poll()
            poll.register(self._channel, 0)
            if poll.poll(_RETRY_MS):  # hung up
                raise BrokenPipeError


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
    if foreign:
        gc.freeze()  # what the parent has dropped is the parent's to collect: its threads are not here to end it
    for each in foreign:
        each.close()
    _end_with_parent()

    def make_runners(segments: SegmentWriter) -> list[Runner]:
        every = [loads(feed) if loads is not None else feed for feed in feeds]
        return [Runner(feed, seed, number, segments) for number, feed in enumerate(every)]

    _Worker(channel, make_runners, least_bytes).serve()
