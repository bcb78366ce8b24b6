"""What all framework iterators share: epochs, the last batch, reset, checkpoints."""

from __future__ import annotations

import contextlib
import inspect
import logging
from typing import Any, Callable, Generic, Iterator, Self, Sequence, TypeVar

import numpy as np

from .. import _core
from ..caller_warnings import warn
from ..errors import InvalidError
from ..graph.reader_facts import ReaderFacts
from ..pipeline import Pipeline
from ..tensors import TensorListCPU
from .epochs import LastBatchPolicy, ReaderEpochs, SizeEpochs

__all__ = ["BaseIterator", "DictIterator", "LastBatchPolicy", "about_output", "kept_array", "squeezed_shape"]

Selection = "np.ndarray | None"  # places within a batch that count; None for all
Step = TypeVar("Step")
"""What an iterator gives."""


def kept_array(batch: TensorListCPU, selection: np.ndarray | None) -> np.ndarray:
    """The samples of `batch` that count, as one array; without a copy where they are the first ones."""
    array = batch.as_array()
    if selection is None:
        return array
    if np.array_equal(selection, np.arange(len(selection))):
        return array[: len(selection)]
    chosen: np.ndarray = array[selection]
    _core.count_copied(chosen.nbytes)
    return chosen


def _why_no_array(batch: TensorListCPU) -> str:
    """What is said where the samples differ and cannot be one array; "" where they can."""
    if len(set(batch.shape())) < 2:
        return ""
    try:
        batch.as_tensor()
    except ValueError as error:
        return str(error)
    return ""


@contextlib.contextmanager
def about_output(name: str | int, batch: TensorListCPU, other_way: str = "") -> Iterator[None]:
    """Names the output where its samples differ in shape and the framework's array cannot be made for that, and says what to
    do. Other errors stay what they are.

    :param other_way: what else this iterator offers for such samples.
    """
    try:
        yield
    except ValueError as error:
        if str(error) != _why_no_array(batch):
            raise
        shown = f"the output '{name}'" if isinstance(name, str) else f"output {name} of the pipeline"
        ways = "give the samples one shape in the pipeline (fn.resize, fn.crop, fn.pad)"
        raise InvalidError(f"{shown}: {error}; {ways}{other_way and f', or {other_way}'}") from error


def squeezed_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """Without axes of one element, but for the first, which is that of the samples."""
    return (shape[0], *(extent for extent in shape[1:] if extent != 1))


class BaseIterator(Generic[Step]):
    """Steps through one or more pipelines, epoch by epoch.

    :param pipelines: a pipeline or a list of them, with equal batch sizes.
    :param size: samples in an epoch, over all pipelines; -1: until the data ends, or what `reader_name` says.
    :param reader_name: the reader that decides how long an epoch is.
    :param auto_reset: True or "yes": the next epoch begins by itself.
    :param fill_last_batch: old form of `last_batch_policy`: True for FILL, False for PARTIAL.
    :param last_batch_padded: with `size`: whether the last batch is padded with copies of the last sample.
    :param last_batch_policy: what happens to a last batch that is not full.
    :param prepare_first_batch: whether work begins when the iterator is made.
    """

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: bool | str | None = False,
        fill_last_batch: bool | None = None,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        self._pipes = list(pipelines) if isinstance(pipelines, (list, tuple)) else [pipelines]
        if not self._pipes:
            raise ValueError("an iterator needs a pipeline")
        for pipe in self._pipes:
            if not isinstance(pipe, Pipeline):
                hint = f"; call it: {pipe.__name__}(...)" if inspect.isfunction(pipe) else ""
                raise TypeError(f"an iterator needs a pipeline, not {type(pipe).__name__}{hint}")
        self.batch_size = self._pipes[0].max_batch_size
        if any(pipe.max_batch_size != self.batch_size for pipe in self._pipes):
            raise ValueError("all pipelines of an iterator must have the same batch size")
        self._check(size, reader_name, last_batch_padded)
        self._auto_reset = self._auto_reset_of(auto_reset)
        if fill_last_batch is not None:
            warn("use last_batch_policy instead of fill_last_batch")
            last_batch_policy = LastBatchPolicy.FILL if fill_last_batch else LastBatchPolicy.PARTIAL
        if not isinstance(last_batch_policy, LastBatchPolicy):
            raise ValueError(f"last_batch_policy must be a LastBatchPolicy, not {last_batch_policy!r}")
        for pipe in self._pipes:
            pipe.build()
        self._reader_name = reader_name
        self._epochs = self._make_epochs(size, reader_name, last_batch_policy, last_batch_padded)
        self._has_begun = False
        self._data_has_ended = False  # of a pipeline, before the end of the epoch
        self._batches_of_step: list[tuple[Any, Sequence[Any]] | None] = []  # of the step under way; None for what broke
        self._error_of_step: BaseException | None = None  # the first error of that step
        self._states_before_step: list[dict[str, Any]] = []  # of several pipelines, before that step
        # A batch that was looked at, and the state before it; None: its pipelines have none.
        self._ahead: tuple[Step, dict[str, Any] | None] | None = None
        self._restore()
        if prepare_first_batch:
            for pipe in self._pipes:
                pipe._prefetch()

    def _check(self, size: int, reader_name: str | None, last_batch_padded: bool) -> None:
        if size == 0:
            raise ValueError("size=0: an epoch needs at least one sample")
        if reader_name and size > 0:
            raise ValueError("give either `size` or `reader_name`: the reader knows its size")
        if reader_name and last_batch_padded:
            raise ValueError("give `last_batch_padded` with `size` only: the reader knows whether it pads")
        if size < 0 and not reader_name and len(self._pipes) > 1:
            raise ValueError("several pipelines need `size` or `reader_name`")

    @staticmethod
    def _auto_reset_of(auto_reset: bool | str | None) -> bool:
        if auto_reset in (False, None, "no"):
            return False
        if auto_reset in (True, "yes"):
            return True
        raise ValueError(f"auto_reset={auto_reset!r} must be True, False, 'yes' or 'no'")

    def _make_epochs(
        self, size: int, reader_name: str | None, policy: LastBatchPolicy, padded: bool
    ) -> ReaderEpochs | SizeEpochs:
        if reader_name is None:
            if size < 0:
                policy, padded = LastBatchPolicy.FILL, False
            return SizeEpochs(size, len(self._pipes), self.batch_size, policy, padded)
        metas = [pipe._reader_facts(reader_name) for pipe in self._pipes]
        counted = [meta for meta in metas if not isinstance(meta, ReaderFacts) or meta.has_sizes]
        compared = {"epoch_size": counted, "number_of_shards": metas, "pad_last_batch": metas, "stick_to_shard": metas}
        for key, those in compared.items():
            if len({meta[key] for meta in those}) > 1:
                raise ValueError(f"the readers '{reader_name}' of the pipelines differ in {key}")
        epochs = ReaderEpochs(metas[0], [meta["shard_id"] for meta in metas], self.batch_size, policy)
        epochs.begin_in(*self._pipes[0]._epochs_left(reader_name))
        return epochs.fresh()

    def _restore(self) -> None:
        restored = [pipe for pipe in self._pipes if pipe.is_restored_from_checkpoint]
        if not restored:
            return
        if len(restored) != len(self._pipes):
            raise ValueError("either all pipelines of an iterator go on from a checkpoint, or none")
        state = restored[0]._iterator_state
        if any(pipe._iterator_state != state for pipe in restored):
            raise ValueError("the checkpoints of the pipelines were taken at different times")
        if state is not None:
            self._go_on_from(state)

    def _advance(self) -> tuple[list[tuple[TensorListCPU, ...]], list[np.ndarray | None]]:
        """The next batch of each pipeline, and which of its samples count. StopIteration at the end of the epoch."""
        if self._data_has_ended or self._epochs.is_over():
            self._end()
        try:
            self._take_step()
        except StopIteration:
            self._data_has_ended = True
            self._end()
        self._has_begun = True
        taken, self._batches_of_step = self._batches_of_step, []
        broken, self._error_of_step = self._error_of_step, None
        counts = self._epochs.take()
        if broken is not None:
            raise broken
        outputs = [outputs for outputs, _ in filter(None, taken)]
        return outputs, [self._selection(samples, count) for (_, samples), count in zip(filter(None, taken), counts)]

    def _take_step(self) -> None:
        """Takes a batch of each pipeline. What interrupts it loses nothing: the next call goes on with the pipeline that
        has not given its batch. A broken batch counts as taken, and the others' batches of the step go with it, so that
        pipelines stay beside each other."""
        while len(self._batches_of_step) < len(self._pipes):
            pipe = self._pipes[len(self._batches_of_step)]
            before = pipe._iterations()
            if len(self._pipes) > 1 and pipe._has_state:
                self._states_before_step[len(self._batches_of_step) :] = [pipe.state_dict()]
            try:
                outputs = pipe.run()
            except StopIteration:
                raise
            except BaseException as error:
                if pipe._iterations() == before:
                    raise
                self._error_of_step = self._error_of_step or error
                self._batches_of_step.append(None)
            else:
                self._batches_of_step.append((outputs, pipe._delivered))

    def _selection(self, samples: Sequence[Any], count: int) -> np.ndarray | None:
        if count >= self.batch_size:
            return None
        places = [sample.index_in_batch for sample in samples]
        return np.flatnonzero(np.asarray(places) < count)

    def _end(self) -> None:
        if self._auto_reset:
            self.reset()
        raise StopIteration

    def reset(self) -> None:
        """Begins the next epoch. Before the end of an epoch it only warns."""
        if not self._is_finished():
            logging.getLogger("forebay").warning("reset() before the end of the epoch is ignored")
            return
        if self._data_has_ended:
            self._epochs.end_early()
        else:
            self._drop(self._epochs.end())
        self._data_has_ended = False
        for pipe in self._pipes:
            pipe.reset()

    def _drop(self, steps: int) -> None:
        """Takes the batches of the epoch that nobody gets."""
        try:
            for _ in range(steps):
                self._take_step()
                self._batches_of_step, self._error_of_step = [], None
        except StopIteration:
            pass  # there are none

    def _is_finished(self) -> bool:
        if self._ahead is not None:
            return False
        is_endless = isinstance(self._epochs, SizeEpochs) and self._epochs.size < 0
        return self._data_has_ended or self._epochs.is_over() or is_endless

    def checkpoints(self) -> list[bytes]:
        """Checkpoints of the pipelines, for `Pipeline(checkpoint=...)`; an iterator over them goes on here."""
        if not all(pipe._enable_checkpointing for pipe in self._pipes):
            raise ValueError("checkpoints need pipelines with enable_checkpointing=True")
        state = self.state_dict()
        return [pipe._get_checkpoint(state["epochs"], of_pipe) for pipe, of_pipe in zip(self._pipes, state["pipelines"])]

    def state_dict(self) -> dict[str, Any]:
        """Where the iterator and its pipelines are: before a batch that was looked at and not taken."""
        if self._ahead is not None and self._ahead[1] is not None:
            return self._ahead[1]
        return {"epochs": self._epochs.state(), "pipelines": self._pipeline_states()}

    def _pipeline_states(self) -> list[dict[str, Any]]:
        """Behind the last whole step, also where a later one was interrupted."""
        given = len(self._batches_of_step)
        return self._states_before_step[:given] + [pipe.state_dict() for pipe in self._pipes[given:]]

    def load_state_dict(self, state: dict[str, Any] | list[dict[str, Any]]) -> None:
        """Goes on where `state` was taken. A state that is refused changes nothing.

        A list holds the states of all ranks' iterators; see :meth:`forebay.Pipeline.load_state_dict`. With another number
        of shards, an iterator with `reader_name` goes on with what is left of the epoch."""
        states = state if isinstance(state, list) else [state]
        for one in states:
            if not isinstance(one, dict) or not one.keys() >= {"epochs", "pipelines"}:
                raise ValueError("this is not the state of an iterator; pass what its state_dict() returned")
        of_ranks = [(pipe_state, one["epochs"]) for one in states for pipe_state in one["pipelines"]]
        if isinstance(state, list):
            choices = [of_ranks] * len(self._pipes)
        elif len(of_ranks) == len(self._pipes):
            choices = [[of_rank] for of_rank in of_ranks]
        else:
            raise ValueError(f"the state is of {len(of_ranks)} pipelines, not {len(self._pipes)}")
        checked = [pipe._check_states([pipe_state for pipe_state, _ in choice])
                   for pipe, choice in zip(self._pipes, choices)]
        is_divided = any(own < 0 for own, _ in checked)
        epochs = [self._epochs.divided_anew() if is_divided else choice[own][1]
                  for (own, _), choice in zip(checked, choices)]
        if any(other != epochs[0] for other in epochs):
            raise ValueError("the states of this iterator's pipelines were taken at different steps")
        self._check_state(epochs[0])
        for _, load in checked:
            load()
        if self._reader_name is not None:
            self._epochs.begin_in(*self._pipes[0]._epochs_left(self._reader_name))
        self._go_on_from(self._epochs.divided_anew() if is_divided else epochs[0])

    def _check_state(self, state: Any) -> None:
        """ValueError where :meth:`_go_on_from` does not take the state."""
        self._epochs.check(state)

    def _go_on_from(self, state: Any) -> None:
        fresh = self._epochs.fresh()
        self._epochs.restore(state)
        self._has_begun = self._epochs.state() != fresh.state()
        self._data_has_ended = False
        self._batches_of_step, self._error_of_step = [], None
        self._ahead = None

    def next(self) -> Step:
        """The next batch."""
        return self.__next__()

    def __next__(self) -> Step:
        ahead, self._ahead = self._ahead, None
        return self._taken() if ahead is None else ahead[0]

    def _taken(self) -> Step:
        """Takes the next batch of each pipeline, as the framework has it. StopIteration at the end of the epoch."""
        raise NotImplementedError

    def _look_ahead(self) -> Step:
        """The next batch, which stays the next."""
        if self._ahead is None:
            state = self.state_dict() if all(pipe._has_state for pipe in self._pipes) else None
            self._ahead = self._taken(), state
        return self._ahead[0]

    def __iter__(self) -> Self:
        if self._has_begun and self._is_finished():
            self.reset()
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            "an iterator cannot be pickled: its pipelines run in this process; make one in the other process, and give "
            "it this one's state_dict()"
        )

    @property
    def size(self) -> int:
        return self._epochs.size

    def __len__(self) -> int:
        return len(self._epochs)


_DaliBaseIterator = BaseIterator  # its name in DALI


class DictIterator(BaseIterator[Step]):
    """Gives a list with a dictionary for each pipeline: output name to array of the framework."""

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: bool | str | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        names = list(output_map)
        if len(set(names)) != len(names):
            raise ValueError(f"output_map={names} names an output twice")
        self.output_map = names
        super().__init__(
            pipelines, size, reader_name, auto_reset, fill_last_batch, last_batch_padded, last_batch_policy,
            prepare_first_batch,
        )
        for pipe in self._pipes:
            if pipe.num_outputs != len(names):
                raise ValueError(f"output_map has {len(names)} names for {pipe.num_outputs} outputs")

    _for_ragged = ""
    """What else the iterator offers for samples of different shapes."""

    def _converted(self, name: str, convert: Callable[..., Any], batch: TensorListCPU, selection: Any) -> Any:
        with about_output(name, batch, self._for_ragged):
            return convert(batch, selection)

    def _converters(self) -> list[Callable[[TensorListCPU, np.ndarray | None], Any]]:
        """For each output, the function that turns its batch into an array of the framework."""
        raise NotImplementedError

    def _taken(self) -> Any:
        outputs, selections = self._advance()
        converters = self._converters()
        return [
            {
                name: self._converted(name, convert, batch, selection)
                for name, convert, batch in zip(self.output_map, converters, batches)
            }
            for batches, selection in zip(outputs, selections)
        ]
