"""In which order samples are taken, and how they are grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from typing import Any, Generic, Protocol, TypeVar

from . import draws

Element = TypeVar("Element", covariant=True)


class Sampler(Generic[Element]):
    """Derive from it and define ``__iter__`` and ``__len__``."""

    def __iter__(self) -> Iterator[Element]:
        raise NotImplementedError(f"{type(self).__name__} defines no __iter__()")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} defines no __len__()")


class SequentialSampler(Sampler[int]):
    """start, start + 1, ... as many as ``length``."""

    def __init__(self, length: int, start: int = 0) -> None:
        self._range = range(start, start + length)

    def __iter__(self) -> Iterator[int]:
        return iter(self._range)

    def __len__(self) -> int:
        return len(self._range)


class RandomSampler(Sampler[int]):
    """The numbers below ``length`` in another order each time."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __iter__(self) -> Iterator[int]:
        return iter(draws.order(self._length))

    def __len__(self) -> int:
        return self._length


class _Samples(Sized, Protocol):
    def __getitem__(self, index: int, /) -> Any: ...


class FilterSampler(Sampler[int]):
    """The indices of those samples for which ``fn`` is true, found once."""

    def __init__(self, fn: Callable[[Any], bool], dataset: _Samples) -> None:
        self._indices = [index for index in range(len(dataset)) if fn(dataset[index])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class BatchSampler(Sampler[list[Any]]):
    """Groups of ``batch_size`` of what ``sampler`` gives. The last, if it is smaller, is kept ("keep"), left out
    ("discard") or begins the next epoch ("rollover")."""

    def __init__(self, sampler: Sampler[Any], batch_size: int, last_batch: str = "keep") -> None:
        if last_batch not in ("keep", "discard", "rollover"):
            raise ValueError(f"last_batch is 'keep', 'discard' or 'rollover', not '{last_batch}'")
        if batch_size < 1:
            raise ValueError(f"a batch of {batch_size}")
        self._sampler = sampler
        self._batch_size = batch_size
        self._last_batch = last_batch
        self._left: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        batch, self._left = self._left, []
        for element in self._sampler:
            batch.append(element)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._left = batch

    def __len__(self) -> int:
        count = len(self._sampler)
        if self._last_batch == "keep":
            return -(-count // self._batch_size)
        return (count + len(self._left)) // self._batch_size
