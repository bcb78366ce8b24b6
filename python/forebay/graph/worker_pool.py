"""The worker processes of a pipeline's parallel external sources, as the process of the pipeline sees them.

There is no thread: who waits for an answer reads the sockets. One thread waits at a time; `close()` may come from any
other and wakes it.
"""

from __future__ import annotations

import contextlib
import errno
import multiprocessing
import os
import pickle
import resource
import selectors
import signal
import socket
import threading
import weakref
from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Sequence

from .shared_segments import SegmentReader, no_descriptor
from .source_worker import MESSAGE_BYTES, Answer, Request, Task, described, work

_IN_FLIGHT = 128  # tasks that a worker has been given, and whose answers nobody has read, at most: more wait here
_SOCKET_BYTES = 1 << 18  # so many requests, and answers, lie in a socket: neither side waits for the other
_PATIENCE_S = 2.0  # for a worker in the middle of a source, before it is ended by force

START_METHODS = ("fork", "spawn", "forkserver")


def _in_flight(workers: int) -> int:
    """Of each worker. Every answer may have a descriptor, and all of a user's together are no more than one process may
    have open: a quarter of them is for these."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _IN_FLIGHT if limit < 0 else max(1, min(_IN_FLIGHT, limit // (4 * workers)))


class WorkerTraceback(Exception):
    """Where in a worker process an error was raised."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"in a worker process:\n\n{self.text}"


@dataclass(frozen=True)
class Sources:
    """What the workers run. With `loads` each is given as bytes."""

    feeds: Sequence[Any]
    loads: Any
    least_bytes: int
    seed: int


class _Worker:
    """One process and its socket."""

    def __init__(self, context: Any, sources: Sources, foreign: Sequence[socket.socket], most_in_flight: int) -> None:
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (self.channel, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BYTES)
        self.segments = SegmentReader()
        self.in_flight = 0
        self._most_in_flight = most_in_flight
        self.backlog: deque[Task] = deque()
        self.end: str | None = None  # how it ended, where it should not have
        forked = context.get_start_method() == "fork"
        inherited = [*foreign, self.channel] if forked else []
        arguments = (theirs, sources.feeds, sources.loads, sources.least_bytes, sources.seed, inherited)
        self.process = context.Process(target=work, args=arguments, name="forebay-source-worker", daemon=True)
        try:
            self.process.start()
        except BaseException:
            self.channel.close()
            raise
        finally:
            theirs.close()

    @property
    def load(self) -> int:
        return self.in_flight + len(self.backlog)

    def submit(self, task: Task) -> None:
        self.backlog.append(task)
        self.flush()

    def flush(self) -> None:
        while self.backlog and self.in_flight < self._most_in_flight and self.end is None:
            task = self.backlog.popleft()
            try:
                self.channel.send(pickle.dumps(Request(task, self.segments.take_released())))
            except (BrokenPipeError, ConnectionResetError):
                self.note_end()
                return
            self.in_flight += 1

    def receive(self) -> tuple[Answer, Any] | None:
        """The next answer and its data; None when the process has ended."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self.channel, MESSAGE_BYTES, 1)
        except ConnectionResetError:
            message = b""
        if not message:
            self.note_end()
            return None
        answer: Answer = pickle.loads(message)
        self.in_flight -= 1
        content: Any = answer.error
        if answer.written is not None:
            try:
                content = self.segments.read(answer.written, descriptors[0] if descriptors else None)
            except OSError as error:
                answer, content = replace(answer, outcome="error"), described(error)
        self.flush()
        return answer, content

    def note_end(self) -> None:
        self.process.join(_PATIENCE_S)
        code = self.process.exitcode
        how = "has ended" if code is None else f"ended with code {code}"
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                how = f"was killed by {signal.Signals(-code).name}"
        self.end = f"the worker process {self.process.pid} {how}"


def _close(workers: Sequence[_Worker], own: Sequence[socket.socket], owner: int, waits: bool) -> None:
    """Ends the processes: at once those that are idle, the others by force."""
    for each in own:
        each.close()
    is_owner = os.getpid() == owner  # and no process forked from it: they are not its children
    for worker in workers:
        if is_owner:
            with contextlib.suppress(OSError):  # the socket may live on in processes forked from this one
                worker.channel.shutdown(socket.SHUT_RDWR)
        worker.channel.close()
        worker.segments.close()
    if not is_owner:
        return
    if waits:
        for worker in workers:
            worker.process.join(_PATIENCE_S)
    for worker in workers:
        if worker.process.is_alive():
            worker.process.kill()
        worker.process.join()


class WorkerPool:
    """Processes that make batches. Started at once.

    :param method: "fork", "spawn" or "forkserver".
    """

    def __init__(self, count: int, method: str, sources: Sources) -> None:
        context = multiprocessing.get_context(method)
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()
        self._is_closed = False
        self._count = 0
        self._answers: dict[int, tuple[Answer, Any]] = {}
        self._forgotten: set[int] = set()
        self._owners: dict[int, _Worker] = {}
        own: list[socket.socket] = []
        try:
            own.extend(socket.socketpair())
            self._wake, self._woken = own
            for _ in range(count):
                foreign = [*own, *(worker.channel for worker in self._workers)]
                self._workers.append(_Worker(context, sources, foreign, _in_flight(count)))
        except BaseException as error:
            _close(self._workers, own, os.getpid(), False)
            if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
                raise no_descriptor(f"{count} worker processes of external sources", error.errno) from error
            raise
        self._finish = weakref.finalize(self, _close, self._workers, own, os.getpid(), False)

    def __len__(self) -> int:
        return len(self._workers)

    def submit(self, task: Task, worker: int | None = None) -> int:
        """Starts a task, on the worker with the least to do unless one is named. Gives its number, for wait()."""
        with self._lock:
            self._check_open()
            chosen = min(self._workers, key=lambda each: each.load) if worker is None else self._workers[worker]
            numbered = Task(**{**vars(task), "number": self._count})
            self._count += 1
            self._owners[numbered.number] = chosen
            chosen.submit(numbered)
            return numbered.number

    def forget(self, number: int) -> None:
        """Nobody will wait for that task."""
        with self._lock:
            self._owners.pop(number, None)
            if self._answers.pop(number, None) is None:
                self._forgotten.add(number)

    def wait(self, number: int) -> tuple[Answer, Any]:
        """The answer to a task. RuntimeError when its worker has died, or the pool is closed meanwhile."""
        with self._lock:
            while number not in self._answers:
                self._check_open()
                worker = self._owners[number]
                if worker.end is not None:
                    raise RuntimeError(f"{worker.end}; build a new pipeline to go on")
                self._receive()
            self._owners.pop(number)
            return self._answers.pop(number)

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("the pipeline has been closed, and with it the workers of its external sources")

    def _receive(self) -> None:
        """Waits until a worker has answered or ended, or close() was called."""
        with selectors.PollSelector() as selector:  # others need a descriptor
            selector.register(self._woken, selectors.EVENT_READ)
            for worker in self._workers:
                if worker.end is None:
                    selector.register(worker.channel, selectors.EVENT_READ, worker)
            ready = [key.data for key, _ in selector.select()]
        for worker in ready:
            received = worker.receive() if worker is not None else None
            if received is None:
                continue
            number = received[0].number
            if number in self._forgotten:
                self._forgotten.remove(number)
            else:
                self._answers[number] = received

    def capacities(self) -> list[int]:
        """Bytes of each segment of shared memory."""
        return [size for worker in self._workers for size in worker.segments.capacities()]

    def pids(self) -> list[int]:
        return [worker.process.pid for worker in self._workers]

    def close(self, waits: bool = True) -> None:
        """Ends the workers. Data that was given out stays valid. More than once does no harm."""
        self._is_closed = True
        with contextlib.suppress(OSError):
            self._wake.send(b"x")
        with self._lock:
            ending = self._finish.detach()
            if ending is not None:
                _, _, (workers, own, owner, _), _ = ending
                _close(workers, own, owner, waits)
                self._answers.clear()
