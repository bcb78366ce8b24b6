"""Cases: what may be a source, and where its epochs end."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
from nvidia.dali import pipeline_def

from catalogue import Group
from pipelines import run, SETTINGS

case = Group("sources")


def batch(value: Any, dtype: Any = np.int32, samples: int = 3) -> list[np.ndarray]:
    return [np.array([value, j], dtype) for j in range(samples)]


def from_source(*arguments: Any, runs: int = 1, pipeline: Any = None, **settings: Any) -> Any:
    return run(lambda: fn.external_source(*arguments, **settings), runs, **(pipeline or {}))


def epochs(source: Any, runs: int = 7, **settings: Any) -> list[Any]:
    """So many runs of a source; where an epoch ends it says so, and another begins."""
    pipeline = pipeline_def(**SETTINGS)(lambda: fn.external_source(source=source, **settings))()
    pipeline.build()
    outputs: list[Any] = []
    for _ in range(runs):
        try:
            outputs.append([np.array(sample).tolist() for sample in pipeline.run()[0]])
        except StopIteration:
            outputs.append("stop")
            pipeline.reset()
    return outputs


case.table(
    {
        "callable_no_argument": lambda: from_source(lambda: batch(1), runs=3),
        "callable_index": lambda: from_source(lambda i: batch(i), runs=3),
        "callable_batchinfo": lambda: from_source(
            lambda i: batch(i.iteration * 10 + i.epoch_idx), runs=3, batch_info=True
        ),
        "callable_sampleinfo": lambda: from_source(
            lambda s: np.array([s.idx_in_epoch, s.idx_in_batch, s.iteration, s.epoch_idx]), runs=3, batch=False
        ),
        "callable_two_arguments": lambda: from_source(lambda a, b: batch(1)),
        "callable_default_argument": lambda: from_source(lambda a=3: batch(a), runs=2),
        "callable_varying_arguments": lambda: from_source(lambda *a: batch(len(a)), runs=2),
        "callable_key_word_only": lambda: from_source(lambda *, k=4: batch(k), runs=2),
        "list_source": lambda: epochs([batch(0), batch(1)], 5),
        "list_cycle_true": lambda: epochs([batch(0), batch(1)], 5, cycle=True),
        "list_cycle_quiet": lambda: epochs([batch(0), batch(1)], 5, cycle="quiet"),
        "list_cycle_raise": lambda: epochs([batch(0), batch(1)], 8, cycle="raise"),
        "list_cycle_no": lambda: epochs([batch(0), batch(1)], 5, cycle="no"),
        "cycle_invalid": lambda: epochs([batch(0)], 5, cycle="abc"),
        "cycle_callable": lambda: epochs(lambda: batch(0), 5, cycle=True),
        "generator_object": lambda: epochs((batch(i) for i in range(3)), 5),
        "iterator_object": lambda: epochs(iter([batch(0), batch(1)]), 5),
        "iterator_cycle": lambda: epochs(iter([batch(0), batch(1)]), 5, cycle=True),
        "itertools_repeat": lambda: epochs(itertools.repeat(batch(4)), 3),
        "not_a_source": lambda: epochs(5, 2),
        "sample_iterable": lambda: epochs([np.array([k]) for k in range(6)], 4, batch=False),
        "sample_iterable_cycle": lambda: epochs([np.array([k]) for k in range(6)], 6, batch=False, cycle=True),
        "sample_iterable_cycle_raise": lambda: epochs(
            [np.array([k]) for k in range(6)], 7, batch=False, cycle="raise"
        ),
        "sample_iterable_uneven_cycle": lambda: epochs([np.array([k]) for k in range(4)], 6, batch=False, cycle=True),
    }
)


@case
def generator_function() -> Any:
    def inner():
        for i in range(3):
            yield batch(i)

    return epochs(inner, 5)


@case
def generator_function_cycle() -> Any:
    def inner():
        for i in range(3):
            yield batch(i)

    return epochs(inner, 8, cycle=True)


@case
def generator_function_cycle_raise() -> Any:
    def inner():
        for i in range(3):
            yield batch(i)

    return epochs(inner, 9, cycle="raise")


@case
def iterable_class() -> Any:
    class C:
        def __init__(self):
            self.n = 3

        def __iter__(self):
            self.i = 0
            return self

        def __next__(self):
            if self.i >= self.n:
                raise StopIteration
            self.i += 1
            return batch(self.i)

    return epochs(C(), 9, cycle="raise")


@case
def getitem_only() -> Any:
    class C:
        def __getitem__(self, i):
            if i > 1:
                raise IndexError
            return batch(i)

    return epochs(C(), 4)


@case
def callable_stop() -> Any:
    def body(i):
        if i == 2:
            raise StopIteration
        return batch(i)

    return epochs(body, 7)


@case
def callable_stop_epoch() -> Any:
    def body(b):
        if b.iteration == 2:
            raise StopIteration
        return batch(b.iteration + 10 * b.epoch_idx)

    return epochs(body, 7, batch_info=True)


@case
def sample_stop_exact() -> Any:
    def body(s):
        if s.idx_in_epoch >= 6:
            raise StopIteration
        return np.array([s.idx_in_epoch, s.epoch_idx])

    return epochs(body, 7, batch=False)
