"""Server: answers single requests by a pipeline's graph."""

from __future__ import annotations

import logging
import queue
import weakref
from concurrent.futures import Future
from typing import Any, Mapping

from .. import _core
from ..errors import InvalidError, OutOfRangeError, WrongTypeError
from ..tensors import TensorCPU
from .pipeline_arguments import whole_number
from .sources import Feed

__all__ = ["Answer", "Server", "close_all"]

Answer = Future[tuple[TensorCPU, ...]]

# What an error about an input stays; another is a RuntimeError.
_KINDS = (WrongTypeError, InvalidError, OutOfRangeError, TypeError, ValueError, LookupError, BufferError, MemoryError,
          OSError)

_log = logging.getLogger("forebay")

_live: weakref.WeakSet[Server] = weakref.WeakSet()


def _deliver(future: Answer, outputs: tuple[TensorCPU, ...] | None, error: BaseException | None) -> None:
    """Called on a thread of the library, with an answer that has come. Where it raises, the answer comes again."""
    try:
        _settle(future, outputs, error)
    except BaseException as raised:  # SystemExit and the like of a callback: other answers come all the same
        if not future.done():
            raise
        _log.error("a callback of an answer raised", exc_info=raised)


def _settle(future: Answer, outputs: tuple[TensorCPU, ...] | None, error: BaseException | None) -> None:
    if future.done() and not future.cancelled():
        return  # what has come already
    if outputs is None and error is None:
        future.cancel()
        future.set_running_or_notify_cancel()
    elif not future.running() and not future.set_running_or_notify_cancel():
        return  # its user has cancelled it
    elif error is not None:
        future.set_exception(error)
    else:
        future.set_result(outputs or ())


def _sample_of(name: str, feed: Feed, given: Any) -> list[TensorCPU]:
    try:
        return feed._take_sample(given)
    except Exception as error:  # also what an object raises that is asked for its memory
        kind = next((kind for kind in _KINDS if isinstance(error, kind)), RuntimeError)
        raise kind(f"the input '{name}' of a request: {error}") from error


class Server:
    """Answers single requests, from any number of threads, by the graph of a pipeline. Made by
    :meth:`Pipeline.serve`; a context manager that closes it.

    Each request is a sample of its own: it has its own error, and with equal key, epoch and inputs the same bits, whatever
    else runs.
    """

    def __init__(
        self, plan: Any, settings: dict[str, Any], feeds: Mapping[str, tuple[int, Feed]], max_pending: int, clock: Any
    ) -> None:
        self._feeds = feeds
        self._session = _core.RequestSession.create(plan, settings, max_pending, _deliver, clock)
        _live.add(self)

    def submit(self, *, key: int, deadline: float | None = None, epoch: int = 0, **inputs: Any) -> Answer:
        """Starts a request. The future's result is a tuple with a tensor for each output of the pipeline.

        :param key: says which random numbers the request gets: those of the sample at that position of `epoch`. At
            least 0.
        :param deadline: seconds from now. A request that takes longer ends with a TimeoutError, and nothing more is done
            for it.
        :param epoch: at least 0.
        :param inputs: the sample for each ``fn.external_source``, by its name; for one with several outputs a tuple.

        The future raises what broke the request (:class:`SampleError` names the operator and has the key as its
        `position`), or CancelledError when the server was closed. `cancel()` drops the answer; work that has begun goes
        on.

        ``queue.Full`` is raised when `max_pending` requests have no answer yet: try again later.
        """
        if deadline is not None and not deadline >= 0:
            raise ValueError(f"deadline={deadline!r} must be seconds from now, or None")
        future: Answer = Future()
        numbers = whole_number("key", key), whole_number("epoch", epoch)
        if not self._session.submit(numbers[0], self._taken(inputs), deadline, future, numbers[1]):
            raise queue.Full("too many requests are under way: submit more when some have been answered")
        return future

    def _taken(self, inputs: Mapping[str, Any]) -> list[tuple[int, list[TensorCPU]]]:
        if inputs.keys() != self._feeds.keys():
            wanted = ", ".join(sorted(self._feeds)) or "none"
            raise TypeError(f"submit() takes the inputs {wanted}; it was given {', '.join(sorted(inputs)) or 'none'}")
        return [(number, _sample_of(name, feed, inputs[name])) for name, (number, feed) in self._feeds.items()]

    def close(self) -> None:
        """Cancels the requests that have no answer yet, and waits until nothing runs for them any more."""
        self._session.close()

    def _end(self) -> None:
        self._session.close(waits=False)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def close_all() -> None:
    """At the end of the interpreter."""
    for server in list(_live):
        server._end()
