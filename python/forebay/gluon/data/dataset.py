"""Data sets: samples by their numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from ...nd import NDArray, array
from .sampler import FilterSampler, Sampler, SequentialSampler


class Dataset:
    """Derive from it and define ``__getitem__(index)`` and ``__len__``."""

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} defines no __getitem__()")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} defines no __len__()")

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def filter(self, fn: Callable[[Any], bool]) -> Dataset:
        """The samples for which ``fn`` is true."""
        return _Sampled(self, FilterSampler(fn, self))

    def shard(self, num_shards: int, index: int) -> Dataset:
        """One of ``num_shards`` parts, which differ in length by at most one."""
        if not 0 <= index < num_shards:
            raise ValueError(f"there is no part {index} of {num_shards}")
        share, rest = divmod(len(self), num_shards)
        begin = share * index + min(index, rest)
        return _Sampled(self, SequentialSampler(share + (index < rest), begin))

    def take(self, count: int | None) -> Dataset:
        """The first samples; all for None."""
        return _Sampled(self, SequentialSampler(len(self) if count is None else min(count, len(self))))

    def sample(self, sampler: Sampler[int]) -> Dataset:
        """The samples whose numbers a sampler gives now."""
        if not isinstance(sampler, Sampler):
            raise TypeError(f"sample() takes a Sampler, not {type(sampler).__name__}")
        return _Sampled(self, sampler)

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> Dataset:
        """``fn`` of each sample; the members of a tuple are its arguments. ``lazy``: each time anew, else now."""
        transformed = _Transformed(self, fn)
        return transformed if lazy else SimpleDataset(list(transformed))

    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> Dataset:
        """``fn`` of the first member of each sample."""
        return self.transform(_First(fn), lazy)


class SimpleDataset(Dataset):
    """The elements of a list."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __getitem__(self, index: int) -> Any:
        return self._data[index]

    def __len__(self) -> int:
        return len(self._data)


def _memory_of(data: Any) -> numpy.ndarray | None:
    is_visible = isinstance(data, NDArray) and data.dtype_name != "bfloat16"  # which NumPy has not
    return numpy.from_dlpack(data) if is_visible else None


class ArrayDataset(Dataset):
    """The members of arrays, lists or data sets of one length, as tuples where there are several. Vectors are read at
    once, so their members are numbers."""

    def __init__(self, *args: Any) -> None:
        if not args:
            raise ValueError("an ArrayDataset is made of at least one array")
        self._length = len(args[0])
        for place, data in enumerate(args):
            if len(data) != self._length:
                raise AssertionError(f"array {place} has the length {len(data)}, the first {self._length}")
        self._data = [data.asnumpy() if isinstance(data, NDArray) and data.ndim == 1 else data for data in args]
        self._note_process()

    def _note_process(self) -> None:
        """Whose the arrays are, and where they lie: what a worker forked later reads."""
        self._process = os.getpid()
        self._memory = [_memory_of(data) for data in self._data]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_memory", "_process")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._note_process()

    def __getitem__(self, index: int) -> Any:
        members = tuple(self._member(place, index) for place in range(len(self._data)))
        return members[0] if len(members) == 1 else members

    def _member(self, place: int, index: int) -> Any:
        memory = self._memory[place]
        if memory is None or os.getpid() == self._process:
            return self._data[place][index]
        return array(memory[index])  # arrays of a parent are none of a forked worker's, their memory is

    def __len__(self) -> int:
        return self._length


class _Sampled(Dataset):
    def __init__(self, dataset: Dataset, sampler: Sampler[int]) -> None:
        self._dataset = dataset
        self._indices = list(sampler)

    def __getitem__(self, index: int) -> Any:
        return self._dataset[self._indices[index]]

    def __len__(self) -> int:
        return len(self._indices)


class _Transformed(Dataset):
    def __init__(self, dataset: Dataset, function: Callable[..., Any]) -> None:
        self._dataset = dataset
        self._function = function

    def __getitem__(self, index: int) -> Any:
        sample = self._dataset[index]
        return self._function(*sample) if isinstance(sample, tuple) else self._function(sample)

    def __len__(self) -> int:
        return len(self._dataset)


class _First:
    """A function of the first argument; the others stay. A class, so that it can be sent to processes."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __call__(self, first: Any, *others: Any) -> Any:
        made = self._function(first)
        return (made, *others) if others else made
