"""Where an external source's data comes from: callables, iterables, generators, or batches that the user feeds.

A feed's `next(iteration, epoch, position, max_batch_size)` returns for each output a list of tensors, and raises
StopIteration at the end of an epoch. It runs on a thread of its pipeline that functions of the user do
not share, in order, one call at a time.
"""

from __future__ import annotations

import functools
import inspect
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator, Sequence

from .. import _core
from ..errors import InvalidError, NoRowError, NotFedError, OutOfRangeError, WrongTypeError
from ..tensors import TensorCPU, TensorListCPU, is_one_sample, to_batch, to_tensor
from ..types import BatchInfo, DALIDataType, SampleInfo

Columns = Sequence[TensorListCPU | list[TensorCPU]]
"""The samples of each output."""
CYCLES = "the values of `cycle` are 'no' (or False, None), 'quiet' (or True) and 'raise'"


@dataclass
class OutputForm:
    """What one output of a source must be, and whether its arrays are copied."""

    layout: str | None = None
    dtype: DALIDataType | None = None
    ndim: int | None = None
    copy: bool = True

    def __post_init__(self) -> None:
        if self.layout and self.ndim is not None and len(self.layout) != self.ndim:
            raise InvalidError(f"external_source: the layout '{self.layout}' is not one of {self.ndim} dimensions")

    def check(self, tensor: TensorCPU) -> TensorCPU:
        if self.dtype is not None and tensor.dtype != self.dtype:
            raise WrongTypeError(f"external_source expected the type {self.dtype}, as promised, and got {tensor.dtype}")
        if self.ndim is not None and tensor.ndim() != self.ndim:
            raise InvalidError(f"external_source expected ndim={self.ndim} dimensions, as promised, and got {tensor.ndim()}")
        given = tensor.layout()
        if self.layout is None or given == self.layout:
            return tensor
        if given:
            raise InvalidError(f"external_source expected the layout '{self.layout}', as promised, and got '{given}'")
        return to_tensor(tensor, self.layout)

    def batch(self, data: Any, layout: str = "", copy: bool = True) -> list[TensorCPU]:
        """The samples of a batch; `layout` is what they are said to have now. Without `copy` their memory is shared."""
        samples = to_batch(data, layout, self.copy and copy)
        if not samples or isinstance(data, (list, tuple, TensorListCPU)):
            return [self.check(sample) for sample in samples]
        first = self.check(samples[0])  # of one array, whose samples are alike
        if first is samples[0]:
            return samples
        return [first, *(_core.with_layout(sample, first.layout()) for sample in samples[1:])]

    def whole(self, data: Any) -> TensorListCPU | list[TensorCPU]:
        """The samples of a batch; a batch of the library's own stays one where nothing is promised of its samples."""
        promised = self.layout is not None or self.dtype is not None or self.ndim is not None
        if isinstance(data, TensorListCPU) and not (self.copy or promised):
            return data
        return self.batch(data)

    def sample(self, data: Any) -> TensorCPU:
        return self.check(to_tensor(data, copy=self.copy))


def cycle_mode(cycle: Any) -> str:
    """'no', 'quiet' or 'raise'."""
    if cycle in (None, False, "no"):
        return "no"
    if cycle in (True, "quiet"):
        return "quiet"
    if cycle == "raise":
        return "raise"
    raise ValueError(f"cycle={cycle!r}: {CYCLES}")


def is_generator_function(source: Any) -> bool:
    if inspect.isgeneratorfunction(source):
        return True
    if isinstance(source, functools.partial):
        return is_generator_function(source.func)
    if inspect.isfunction(source) or inspect.ismethod(source) or inspect.isbuiltin(source):
        return False
    return callable(source) and inspect.isgeneratorfunction(getattr(type(source), "__call__", None))


def argument_count(source: Callable[..., Any]) -> int:
    """0 or 1; TypeError for callables that take anything else."""
    problem = "the source of an external_source takes no argument, or one: the index"
    try:
        parameters = list(inspect.signature(source).parameters.values())
    except ValueError:  # a builtin without a signature
        return 0
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"{problem}; it has '{parameter}'")
    if len(parameters) > 1:
        raise TypeError(f"{problem}; it has {len(parameters)}")
    return len(parameters)


def _shown(data: Any) -> str:
    """What was given, for an error."""
    if isinstance(data, (tuple, list, dict)):
        return f"a {type(data).__name__} of {len(data)}"
    shape = getattr(data, "shape", None)
    return type(data).__name__ if not isinstance(shape, tuple) else f"an array of shape {shape}"


@dataclass
class TakenSamples:
    """Samples of a batch, a row each."""

    rows: list[list[TensorCPU]] = field(default_factory=list)
    broken: Exception | None = None  # the first error: the batch is lost as one, and its other samples go with it
    has_ended: bool = False

    @property
    def is_last(self) -> bool:
        """Whether the epoch ends behind them."""
        return self.has_ended and (bool(self.rows) or self.broken is not None)

    def columns(self) -> list[list[TensorCPU]]:
        """The samples of each output; raises what broke one of them, or StopIteration where there are none."""
        if self.broken is not None:
            raise self.broken
        if not self.rows:
            raise StopIteration
        return [list(column) for column in zip(*self.rows)]


class Feed:
    """Base of all feeds: turns what a source gives into tensors."""

    keeps_its_place = False
    """Whether what it gives next follows what it gave last, also in the next epoch. Such a batch is kept where it could
    not be used because the data of another source had ended."""

    about_checkpoints = ""
    """What a checkpoint does not know of the source."""

    def __init__(self, forms: Sequence[OutputForm], multiple: bool, batch: bool) -> None:
        self._forms = forms
        self._multiple = multiple  # the source gives a tuple of outputs
        self._batch = batch  # the source gives batches, else samples
        self._has_ended = False  # within the batch before, which is shorter

    def next(self, iteration: int, epoch: int, position: int, max_batch_size: int) -> Columns:
        if self._batch:
            return self._take_batch(self._get(iteration, epoch, position, 0))
        if self._has_ended:
            self._has_ended = False
            raise StopIteration
        taken = self._take_samples(
            range(max_batch_size),
            lambda index: self._take_sample(self._get(iteration, epoch, position + index, index)),
        )
        self._has_ended = taken.is_last  # after what there is
        return taken.columns()

    def _take_samples(self, places: Iterable[int], take: Callable[[int], list[TensorCPU]]) -> TakenSamples:
        """What `take` gives for places in a batch, to the end of the epoch. It is asked for all of them whatever breaks, so
        that an iterable stays beside the batches."""
        taken = TakenSamples()
        for place in places:
            try:
                taken.rows.append(take(place))
            except StopIteration:
                taken.has_ended = True
                break
            except Exception as error:
                taken.broken = taken.broken or error
        return taken

    def saved(self) -> dict[str, Any]:
        """What is promised of its output, for a file: what is not there is not promised. It is fed by hand then, so only
        the first output counts."""
        form = self._forms[0]
        dtype = None if form.dtype is None else int(form.dtype)
        row = {"layout": form.layout, "dtype": dtype, "ndim": form.ndim}
        return {name: value for name, value in row.items() if value is not None}

    def reset(self) -> None:
        """Starts the next epoch."""
        self._has_ended = False

    def check_restore(self) -> None:
        """ValueError where :meth:`restore` could not find the place."""

    def restore(self, iteration: int, epoch: int, position: int) -> None:
        """Goes on where a checkpoint was taken."""
        self._has_ended = False

    def _get(self, iteration: int, epoch: int, position: int, index: int) -> Any:
        raise NotImplementedError

    def _parts(self, data: Any) -> Sequence[Any]:
        if data is None:
            raise WrongTypeError("the source of an external_source gave None: it must return what it makes")
        if not self._multiple:
            return [data]
        if is_one_sample(data):
            raise InvalidError(
                f"the source of an external_source gave {type(data).__name__}, which is one sample, not "
                f"{len(self._forms)} outputs: give a tuple with one for each output"
            )
        given = len(data) if hasattr(data, "__len__") and hasattr(data, "__getitem__") else type(data).__name__
        if given != len(self._forms) or isinstance(data, dict):
            too_few = isinstance(given, int) and given < len(self._forms)
            raise (NoRowError if isinstance(data, dict) else OutOfRangeError if too_few else InvalidError)(
                f"the source of an external_source gave {_shown(data)}; {len(self._forms)} outputs are expected, as a tuple"
            )
        return [data[index] for index in range(len(self._forms))]

    def _take_batch(self, data: Any) -> Columns:
        return [form.whole(part) for form, part in zip(self._forms, self._parts(data))]

    def _take_sample(self, data: Any) -> list[TensorCPU]:
        return [form.sample(part) for form, part in zip(self._forms, self._parts(data))]


class CallableFeed(Feed):
    """Calls a function. A function with one argument is told which sample or batch to give, and has no state to
    restore."""

    def __init__(
        self, source: Callable[..., Any], forms: Sequence[OutputForm], multiple: bool, batch: bool, batch_info: bool
    ) -> None:
        super().__init__(forms, multiple, batch)
        self._source = source
        self._takes_index = argument_count(source) == 1
        self.keeps_its_place = not self._takes_index
        if self.keeps_its_place:
            self.about_checkpoints = "a function without arguments, whose state they do not hold: it has to find its place"
        self._batch_info = batch_info

    def _get(self, iteration: int, epoch: int, position: int, index: int) -> Any:
        if not self._takes_index:
            return self._source()
        if not self._batch:
            return self._source(SampleInfo(position, index, iteration, epoch))
        return self._source(BatchInfo(iteration, epoch) if self._batch_info else iteration)


class IterableFeed(Feed):
    """Steps through an iterable, or through what a generator function gives."""

    def __init__(self, source: Any, forms: Sequence[OutputForm], multiple: bool, batch: bool, cycle: str) -> None:
        super().__init__(forms, multiple, batch)
        self.about_checkpoints = "an iterable, of which they hold the place alone: it has to give the same data again"
        if cycle != "no" and inspect.isgenerator(source):
            raise TypeError("a generator cannot be cycled through; give the generator function instead")
        self._source = source
        self._cycle = cycle
        self.keeps_its_place = cycle != "raise"  # with which reset() begins anew
        self._is_used_up = False  # something was taken from a source that is its own iterator
        self._iterator: Iterator[Any] | None = None
        self._is_begun = False  # something was taken from the iterator
        self._lost: Exception | None = None  # why the place of a state was not found

    def _start(self) -> Iterator[Any]:
        self._is_begun = False
        iterator: Iterator[Any] = iter(self._source() if is_generator_function(self._source) else self._source)
        self._is_used_up = self._is_used_up or iterator is self._source
        return iterator

    def _get(self, iteration: int, epoch: int, position: int, index: int) -> Any:
        if self._lost is not None:
            raise RuntimeError(
                "the source of an external_source has no place, as a state could not be loaded: load one again"
            ) from self._lost
        if self._iterator is None:
            self._iterator = self._start()
        try:
            item = next(self._iterator)
        except StopIteration:
            if self._cycle == "no":
                raise
            self._iterator = None
            if self._cycle == "raise":
                raise
            self._iterator = self._start()
            item = next(self._iterator)
        self._is_begun = True
        return item

    def reset(self) -> None:
        """Another source of the pipeline may have ended the epoch: the next one begins at the beginning here, too."""
        super().reset()
        if self._cycle == "raise" and self._is_begun:
            self._iterator = None

    def note_use(self) -> None:
        """A worker process steps through the source: what is taken there cannot be taken again."""
        self._is_used_up = hasattr(self._source, "__next__")

    def check_restore(self) -> None:
        if self._is_used_up:
            raise ValueError(
                f"the source of an external_source, a {type(self._source).__name__}, gives its data once, and some is taken: "
                "load the state into a new pipeline with a new source, or give the generator function instead"
            )

    def restore(self, iteration: int, epoch: int, position: int) -> None:
        """Skips what was taken before: right for sources that give the same data every time."""
        super().restore(iteration, epoch, position)
        self._iterator = None
        self._lost = None
        try:
            self._skip(iteration, position)
        except Exception as error:
            self._lost = error
            raise

    def _skip(self, batches: int, samples: int) -> None:
        """Takes so many from the beginning on. What cannot be begun, or ends before, is an error."""
        first_of_last = (batches - 1) * -(-samples // max(batches, 1))
        broken: Exception | None = None
        for place in range(batches if self._batch else samples):
            try:
                self._get(0, 0, 0, 0)
            except StopIteration:
                if self._batch or place <= first_of_last:
                    kind = "batches" if self._batch else "samples"
                    raise ValueError(
                        f"the source of an external_source ended after {place} {kind}, and the state is behind "
                        f"{batches if self._batch else samples}: load it with the source that it was taken with"
                    ) from broken
                self._has_ended = True  # a last batch that broke counts as a whole one
                break
            except Exception as error:
                if self._iterator is None:  # it could not be begun
                    raise
                broken = broken or error  # which was raised in its batch


class QueueFeed(Feed):
    """Gives what the user put in by `Pipeline.feed_input`."""

    keeps_its_place = True

    def __init__(self, form: OutputForm, repeat_last: bool) -> None:
        super().__init__([form], False, True)
        self._queue: deque[list[TensorCPU] | Exception] = deque()
        self._last: list[TensorCPU] | None = None
        self._repeat_last = repeat_last
        self._asked = 0  # batches that runs have asked for

    def made_of(self, data: Any, layout: str | None, copy: bool = True) -> list[TensorCPU]:
        """The batch that :meth:`put` takes; raises where the data is not what was promised."""
        return self._forms[0].batch(data, layout or "", copy)

    def put(self, batch: list[TensorCPU] | Exception) -> None:
        """A batch, or an error that is raised in its place."""
        self._queue.append(batch)

    def saved(self) -> dict[str, Any]:
        return {**super().saved(), "repeat_last": True} if self._repeat_last else super().saved()

    def emptied(self) -> QueueFeed:
        """A feed alike, without data: for another pipeline."""
        return QueueFeed(self._forms[0], self._repeat_last)

    def is_ready(self) -> bool:
        return bool(self._queue) or (self._repeat_last and self._last is not None)

    def next(self, iteration: int, epoch: int, position: int, max_batch_size: int) -> list[list[TensorCPU]]:
        if self._queue:
            given = self._queue.popleft()
            if isinstance(given, Exception):
                raise given
            self._last = given
        elif self._last is None or not self._repeat_last:
            raise NotFedError("no data was fed to an external_source; call feed_input() before each run()")
        return [self._last]
