"""What the iterators of the suite run over: pipelines with the outputs data and label, and what their epochs must be."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from forebay import fn, pipeline_def, types
from forebay.plugin.base_iterator import LastBatchPolicy

Epoch = list[list[int]]


@dataclass(frozen=True)
class Graph:
    """A function that writes a pipeline, and what it and the pipeline are given."""

    write: Callable[..., Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    def with_settings(self, **settings: Any) -> Graph:
        return replace(self, settings={"batch_size": 2, "num_threads": 1, "seed": 5, **self.settings, **settings})

    def pipeline(self) -> Any:
        return pipeline_def(self.write)(**self.arguments, **self.with_settings().settings)


def files_of(folder: pathlib.Path, count: int) -> list[str]:
    """As many files, for a reader that gives their labels."""
    paths = [folder / f"{number}.bin" for number in range(1, count + 1)]
    for path in paths:
        path.write_bytes(path.name.encode())
    return [str(path) for path in paths]


def read(files: Sequence[str], refused: int | None = None, **reader: Any) -> Any:
    """The numbers 1, 2, 3... of the files; in the batch with the number `refused` a function fails."""

    def check(label: np.ndarray) -> np.ndarray:
        if label[0] == refused:
            raise ValueError(f"the number {refused} is refused")
        return label

    labels = list(range(1, len(files) + 1))
    label = fn.readers.file(files=list(files), labels=labels, name="reader", **reader)[1]
    if refused is not None:
        label = fn.python_function(label, function=check)
    return fn.cast(label, dtype=types.FLOAT), label


def reading(files: Sequence[str], batch_size: int = 2, **arguments: Any) -> Graph:
    settings = {"batch_size": batch_size, "enable_checkpointing": "refused" not in arguments}
    return Graph(read, {"files": files, **arguments}).with_settings(**settings)


def pair_of(number: int, dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray]:
    return np.array([number], dtype), np.array([number], np.int32)


def batch_of(iteration: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Two samples, for ever."""
    first, second = pair_of(2 * iteration), pair_of(2 * iteration + 1)
    return [first[0], second[0]], [first[1], second[1]]


def from_source(source: Any, **arguments: Any) -> Any:
    data, label = fn.external_source(source, num_outputs=2, **arguments)
    return fn.copy(data), fn.copy(label)  # an operator makes a batch one piece


def sourced(source: Any, **arguments: Any) -> Graph:
    return Graph(from_source, {"source": source, **arguments}).with_settings()


def samples(count: int) -> Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]:
    """A source of as many samples, epoch after epoch."""

    def generate() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        yield from map(pair_of, range(count))

    return generate


def four_batches(info: Any) -> tuple[np.ndarray, np.ndarray]:
    """For worker processes: an epoch is four batches."""
    if info.iteration == 4:
        raise StopIteration
    return np.full(8192, info.idx_in_epoch, np.float32), np.array([info.idx_in_epoch], np.int32)


def by_workers() -> Graph:
    settings = {"py_num_workers": 1, "py_start_method": "forkserver"}
    return Graph(from_source, {"source": four_batches, "parallel": True, "batch": False}).with_settings(**settings)


def epochs_of(count: int, batch: int, policy: LastBatchPolicy, padded: bool, epochs: int) -> list[Epoch]:
    """What epochs over the numbers 1 to `count` give: the table in plugin/epochs.py."""
    numbers = list(range(1, count + 1))
    whole = -(-count // batch)
    found = []
    place = 0  # in the stream of the reader
    carry = 0  # samples of the epoch that the one before has taken
    for _ in range(epochs):
        steps = whole
        if policy is LastBatchPolicy.FILL and not padded:
            steps = -(-(count - carry) // batch)
            carry = (carry + steps * batch - count) % count
        if padded:
            row = numbers + numbers[-1:] * (whole * batch - count)
        else:
            row = [numbers[(place + each) % count] for each in range(steps * batch)]
        place += steps * batch
        batches = [row[at : at + batch] for at in range(0, len(row), batch)]
        if policy is LastBatchPolicy.PARTIAL:
            batches[-1] = batches[-1][: count - (whole - 1) * batch]
        if policy is LastBatchPolicy.DROP:
            batches = batches[: count // batch]
        found.append(batches)
    return found
