"""The iterators behind a data set of TensorFlow: epochs and states are those of all iterators, and the batches of other
data sets go into the pipeline before each step."""

from __future__ import annotations

import threading
from typing import Any, Iterator, Mapping

import numpy as np

from ...graph.sources import QueueFeed
from ...pipeline import Pipeline
from ...tensors import TensorListCPU
from ..base_iterator import BaseIterator
from .inputs import Feeder, Input

__all__ = ["DatasetIterator", "Runs"]

Step = tuple[tuple[TensorListCPU, ...], np.ndarray | None]  # a batch, and which of its samples count; None: all


class DatasetIterator(BaseIterator[Step]):
    """Steps through one pipeline. What its inputs were fed is part of its state."""

    def __init__(self, pipeline: Pipeline, inputs: Mapping[str, Input], epochs: Mapping[str, Any]) -> None:
        self._inputs = inputs
        self._feeder: Feeder | None = None
        self._fed = 0  # batches of the inputs, since these began
        self._is_fed = False  # for the step under way
        self._goes_on = False  # from a state, of which no step was taken yet
        self._lock = threading.RLock()  # TensorFlow steps on its own threads
        super().__init__(pipeline, prepare_first_batch=False, **epochs)

    def _restore(self) -> None:
        pipe = self._pipes[0]
        if self._inputs and pipe.is_restored_from_checkpoint and pipe._iterator_state is None:
            raise ValueError(
                f"the checkpoint does not say what the inputs {sorted(self._inputs)} were fed: give what checkpoints() of a "
                "data set with these inputs returned"
            )
        super()._restore()

    def begin(self) -> None:
        """A new pass: the next epoch, or what is left of the one under way."""
        with self._lock:
            is_new = self._data_has_ended or self._epochs.is_over() or (self._is_finished() and not self._goes_on)
            try:
                iter(self)  # which may take a batch that nobody gets
            finally:
                if is_new:
                    self._step_from(0)

    def _step_from(self, fed: int) -> None:
        self._feeder, self._fed, self._is_fed = None, fed, False

    def step(self) -> Any:
        """The next batch, or the error that has taken its place. An error is raised where it took none."""
        with self._lock:
            before = self._epochs.state()
            try:
                return self._taken()
            except StopIteration:
                raise
            except Exception as error:
                if self._epochs.state() == before:
                    raise
                return error

    def _taken(self) -> Step:
        outputs, selections = self._advance()
        return outputs[0], selections[0]

    def _take_step(self) -> None:
        self._goes_on = False
        if self._inputs and not self._is_fed:
            if self._feeder is None:
                self._feeder = Feeder(self._inputs, self.batch_size, self._fed)
            self._feeder.feed(self._pipes[0])
            self._fed += 1
            self._is_fed = True
        super()._take_step()
        self._is_fed = False

    def state_dict(self) -> dict[str, Any]:
        with self._lock:
            return self.state_between_steps()

    def state_between_steps(self) -> dict[str, Any]:
        """Takes no lock: garbage collection within another call may close the iterator."""
        state = super().state_dict()
        fed = self._fed - self._is_fed
        return {**state, "epochs": {**state["epochs"], "fed": fed}} if self._inputs else state

    def load_state_dict(self, state: dict[str, Any] | list[dict[str, Any]]) -> None:
        with self._lock:
            super().load_state_dict(state)

    def _check_state(self, state: Any) -> None:
        super()._check_state(state)
        self._check_fed(state)

    def _check_fed(self, state: Mapping[str, Any]) -> None:
        fed = state.get("fed")
        if self._inputs and (not isinstance(fed, int) or isinstance(fed, bool) or fed < 0):
            raise ValueError(f"this is not the state of a data set with inputs: it has no valid 'fed', but {fed!r}")

    def _go_on_from(self, state: Any) -> None:
        self._check_fed(state)
        super()._go_on_from(state)
        self._step_from(state["fed"] if self._inputs else 0)
        self._goes_on = True

    def close(self) -> None:
        self._pipes[0].close()


class Runs:
    """What TensorFlow's iterators step through: of a data set with epochs one stream, whose next epoch each of them
    takes; of one without a pipeline each, from the start. A pipeline with Python functions or sources cannot be made
    twice, so there is one stream, too."""

    def __init__(
        self, pipeline: Pipeline, arguments: Mapping[str, Any], inputs: Mapping[str, Input], epochs: Mapping[str, Any]
    ) -> None:
        self._pipeline = pipeline
        self._inputs = inputs
        self._epochs = epochs
        self._lock = threading.Lock()  # for moments: whatever it is held for cannot wait for an iterator's end
        self._running = 0
        has_sources = any(not isinstance(feed, QueueFeed) for feed in pipeline._feeds.values())
        self._is_given = has_sources or bool(pipeline._functions)
        self._serialized = b"" if self._is_given else pipeline.serialize()
        self._arguments = {
            "enable_checkpointing": pipeline._enable_checkpointing, "checkpoint": pipeline._checkpoint,
            "unequal_readers": pipeline._unequal_readers, **arguments,
        }
        self._check_batch_size()
        self._has_epochs = epochs["size"] >= 0 or epochs["reader_name"] is not None
        self._is_one = self._is_given or self._has_epochs
        self._latest: DatasetIterator | None = self._made_anew() if self._is_one else None
        self._next: DatasetIterator | None = None  # that of the next iterator, where a state was loaded
        self._left: dict[str, Any] | None = None  # the state of the latest, once it is closed

    def _check_batch_size(self) -> None:
        asked = self._arguments.get("batch_size", self._pipeline.max_batch_size)
        if self._is_given and asked != self._pipeline.max_batch_size:
            raise ValueError(
                f"the pipeline has Python functions or sources, so it is run as it is, with batch_size="
                f"{self._pipeline.max_batch_size}, not {asked}; give the pipeline that batch_size"
            )

    def _made_anew(self) -> DatasetIterator:
        pipeline = self._pipeline if self._is_given else Pipeline.deserialize(self._serialized, **self._arguments)
        return DatasetIterator(pipeline, self._inputs, self._epochs)

    def _open(self) -> DatasetIterator:
        with self._lock:
            if self._is_one and self._running:
                why = "has epochs" if self._has_epochs else "is over a pipeline with Python functions or sources"
                raise RuntimeError(f"the data set {why}, so it has one iterator at a time")
            made = self._latest if self._is_one else self._next
            self._next = None
            self._running += 1
        try:
            made = self._made_anew() if made is None else made
        except BaseException:
            with self._lock:
                self._running -= 1
            raise
        with self._lock:
            self._latest, self._left = made, None
        return made

    def _close(self, steps: DatasetIterator) -> None:
        left = None if self._is_one else steps.state_between_steps()
        with self._lock:
            self._running -= 1
            if steps is self._latest:
                self._left = left
        if not self._is_one:
            steps.close()

    def steps(self) -> Iterator[Any]:
        """Runs the pipeline: batches, each with which of its samples count, and errors in the place of those that broke.
        Closed with the generator."""
        steps = self._open()
        try:
            steps.begin()
            while True:
                try:
                    made = [steps.step()]
                except StopIteration:
                    return
                yield made.pop()  # nothing is kept here
        finally:
            self._close(steps)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a data set over a pipeline cannot be pickled: the pipeline runs in this process; make one in the other "
            "process, and give it this one's state_dict()"
        )

    def length(self) -> int | None:
        """Batches of the present epoch; None where no length was given."""
        return len(self._latest) if self._has_epochs and self._latest is not None else None

    def state_dict(self) -> dict[str, Any]:
        with self._lock:
            at, left = self._latest if self._next is None else self._next, self._left
            if self._next is None and left is not None:
                return left
        if at is None:
            at = self._made_anew()
            with self._lock:
                self._next = at
        return at.state_dict()

    def load_state_dict(self, state: Any) -> None:
        if self._is_one:
            assert self._latest is not None
            self._latest.load_state_dict(state)
            return
        made = self._made_anew()
        made.load_state_dict(state)
        with self._lock:
            self._next = made

    def checkpoints(self) -> list[bytes]:
        if not self._pipeline._enable_checkpointing:
            raise ValueError("checkpoints need a pipeline with enable_checkpointing=True")
        state = self.state_dict()
        return [self._pipeline._get_checkpoint(state["epochs"], of_pipe) for of_pipe in state["pipelines"]]
