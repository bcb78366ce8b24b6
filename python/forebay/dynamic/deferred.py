"""Calls of operators on batches that may be there later, at once or when somebody needs the results.

What is held here of a batch is a `FutureBatch`, whose call is enqueued, or a `Deferred`, whose call is not.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Union

from .. import _core
from .eval_mode import EvalMode

Future = _core.FutureBatch
Held = Union[Future, "Deferred"]

_MOST_KEPT = 4096  # operators with their constants
_kept: dict[Any, _core.CalledOperator] = {}


class DeferredCall:
    """A call that is not enqueued yet."""

    def __init__(
        self,
        op: _core.CalledOperator,
        inputs: Sequence[Held],
        arguments: Sequence[Held],
        size: int,
        seed: int,
        draw: int,
    ) -> None:
        self._call: tuple[Any, ...] | None = (op, inputs, arguments, size, seed, draw, _core.push_site())
        self._lock = threading.Lock()
        self._results: list[Future] = []

    def results(self) -> list[Future]:
        """Enqueues it the first time; with everything it needs."""
        with self._lock:
            if self._call is not None:
                op, inputs, arguments, size, seed, draw, site = self._call
                self._results = op.call(futures_of(inputs), futures_of(arguments), size, seed, draw, site)
                self._call = None
        return self._results


class Deferred:
    """One result of a deferred call."""

    is_external = False

    def __init__(self, call: DeferredCall, output: int, size: int) -> None:
        self._call = call
        self._output = output
        self.size = size

    def future(self) -> Future:
        return self._call.results()[self._output]


class _Local(threading.local):
    def __init__(self) -> None:
        self.waiting: weakref.WeakSet[Deferred] = weakref.WeakSet()


_local = _Local()


def future_of(held: Held) -> Future:
    """The batch, with its call enqueued."""
    return held if isinstance(held, Future) else held.future()


def futures_of(held: Sequence[Held]) -> list[Future]:
    return [each if isinstance(each, Future) else each.future() for each in held]


def enqueue_all() -> None:
    """Enqueues the deferred calls of this thread whose results somebody has."""
    waiting = list(_local.waiting)
    _local.waiting.clear()
    for deferred in waiting:
        deferred.future()


def _key(value: Any) -> Any:
    """Tells apart what is equal only by value: 1, 1.0 and True."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_key, value))
    return (value.__class__, value)


def operator_of(
    name: str, constants: Mapping[str, Any], tensors: tuple[str, ...], num_inputs: int
) -> _core.CalledOperator:
    """The operator with these constants, which is kept for the next call."""
    key = (name, num_inputs, tensors, *((argument, _key(value)) for argument, value in constants.items()))
    made = _kept.get(key)
    if made is None:
        made = _core.CalledOperator.create(name, dict(constants), list(tensors), num_inputs)
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[key] = made
    return made


def run(
    name: str,
    inputs: Sequence[Held],
    constants: Mapping[str, Any],
    tensors: Mapping[str, Held] | None = None,
    size: int = 1,
    seed: int = 0,
    draw: int = 0,
) -> list[Held]:
    """Calls an operator, in the mode of this thread. One result for each output. With memory that the user may change
    it has run when this returns."""
    tensors = tensors or {}
    op = operator_of(name, constants, tuple(tensors), len(inputs))
    arguments = list(tensors.values())
    mode = EvalMode.current()
    is_external = any(held.is_external for held in inputs) or any(held.is_external for held in arguments)
    if mode is EvalMode.deferred and not is_external:
        call = DeferredCall(op, list(inputs), arguments, size, seed, draw)
        deferred: list[Held] = [Deferred(call, output, size) for output in range(op.num_outputs)]
        _local.waiting.update(deferred)  # type: ignore[arg-type]
        return deferred
    results = op.call(futures_of(inputs), futures_of(arguments), size, seed, draw)
    if is_external or mode.value > EvalMode.eager.value:
        for result in results:
            result.wait()
    return results  # type: ignore[return-value]
