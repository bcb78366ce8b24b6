"""Where an external source's data comes from: callables, iterables, generators, or batches that the user feeds.

A feed's `next(iteration, epoch, position, max_batch_size)` returns for each output a list of tensors, and raises
StopIteration at the end of an epoch. It runs on the library's Python thread, in order, one call at a time.
"""

from __future__ import annotations

import functools
import inspect
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Sequence

from ..errors import InvalidError, OutOfRangeError, WrongTypeError
from ..tensors import TensorCPU, to_batch, to_tensor
from ..types import BatchInfo, DALIDataType, SampleInfo

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
            raise WrongTypeError(f"external_source was promised {self.dtype} and got {tensor.dtype}")
        if self.ndim is not None and tensor.ndim() != self.ndim:
            raise InvalidError(f"external_source was promised {self.ndim} dimensions and got {tensor.ndim()}")
        given = tensor.layout()
        if self.layout is None or given == self.layout:
            return tensor
        if given:
            raise InvalidError(f"external_source was promised the layout '{self.layout}' and got '{given}'")
        return to_tensor(tensor, self.layout)

    def batch(self, data: Any, layout: str = "") -> list[TensorCPU]:
        """The samples of a batch; `layout` is what they are said to have now."""
        return [self.check(sample) for sample in to_batch(data, layout, self.copy)]

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


class Feed:
    """Base of all feeds: turns what a source gives into tensors."""

    def __init__(self, forms: Sequence[OutputForm], multiple: bool, batch: bool) -> None:
        self._forms = forms
        self._multiple = multiple  # the source gives a tuple of outputs
        self._batch = batch  # the source gives batches, else samples

    def next(self, iteration: int, epoch: int, position: int, max_batch_size: int) -> list[list[TensorCPU]]:
        if self._batch:
            return self._take_batch(self._get(iteration, epoch, position, 0))
        rows = []
        for index in range(max_batch_size):
            rows.append(self._take_sample(self._get(iteration, epoch, position + index, index)))
        return [list(column) for column in zip(*rows)]

    def reset(self) -> None:
        """Starts the next epoch."""

    def restore(self, iteration: int, epoch: int, position: int) -> None:
        """Goes on where a checkpoint was taken."""

    def _get(self, iteration: int, epoch: int, position: int, index: int) -> Any:
        raise NotImplementedError

    def _parts(self, data: Any) -> Sequence[Any]:
        if not self._multiple:
            return [data]
        given = len(data) if hasattr(data, "__len__") and hasattr(data, "__getitem__") else type(data).__name__
        if given != len(self._forms) or isinstance(data, (dict, str, bytes)):
            kind = OutOfRangeError if isinstance(given, int) and given < len(self._forms) else InvalidError
            raise kind(f"the source of an external_source gave {given}; {len(self._forms)} outputs are expected")
        return [data[index] for index in range(len(self._forms))]

    def _take_batch(self, data: Any) -> list[list[TensorCPU]]:
        return [form.batch(part) for form, part in zip(self._forms, self._parts(data))]

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
        if cycle != "no" and inspect.isgenerator(source):
            raise TypeError("a generator cannot be cycled through; give the generator function instead")
        self._source = source
        self._cycle = cycle
        self._iterator: Iterator[Any] | None = None
        self._is_begun = False  # something was taken from the iterator

    def _start(self) -> Iterator[Any]:
        return iter(self._source() if is_generator_function(self._source) else self._source)

    def _get(self, iteration: int, epoch: int, position: int, index: int) -> Any:
        if self._iterator is None:
            self._iterator = self._start()
        try:
            item = next(self._iterator)
        except StopIteration:
            if self._cycle == "no":
                raise
            self._iterator = self._start()
            self._is_begun = False
            if self._cycle == "raise":
                raise
            item = next(self._iterator)
        self._is_begun = True
        return item

    def reset(self) -> None:
        """Another source of the pipeline may have ended the epoch: the next one begins at the beginning here, too."""
        if self._cycle == "raise" and self._is_begun:
            self._iterator = None

    def restore(self, iteration: int, epoch: int, position: int) -> None:
        """Skips what was taken before: right for sources that give the same data every time."""
        self._iterator = None
        for _ in range(iteration if self._batch else position):
            self._get(0, 0, 0, 0)


class QueueFeed(Feed):
    """Gives what the user put in by `Pipeline.feed_input`."""

    def __init__(self, form: OutputForm, repeat_last: bool) -> None:
        super().__init__([form], False, True)
        self._queue: deque[list[TensorCPU]] = deque()
        self._last: list[TensorCPU] | None = None
        self._repeat_last = repeat_last
        self._asked = 0  # batches that runs have asked for

    def put(self, data: Any, layout: str | None) -> None:
        self._queue.append(self._forms[0].batch(data, layout or ""))

    def emptied(self) -> QueueFeed:
        """A feed alike, without data: for another pipeline."""
        return QueueFeed(self._forms[0], self._repeat_last)

    def is_ready(self) -> bool:
        return bool(self._queue) or (self._repeat_last and self._last is not None)

    def next(self, iteration: int, epoch: int, position: int, max_batch_size: int) -> list[list[TensorCPU]]:
        if self._queue:
            self._last = self._queue.popleft()
        elif self._last is None or not self._repeat_last:
            raise RuntimeError("no data was fed to an external_source; call feed_input() before each run()")
        return [self._last]
