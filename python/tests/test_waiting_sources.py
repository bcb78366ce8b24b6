"""Sources and functions that wait, and that run pipelines."""

from __future__ import annotations

import queue
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, pipeline_def


def test_a_source_may_run_another_pipeline() -> None:
    def chain(depth: int) -> Pipeline:
        if depth == 0:
            give: Any = lambda: [np.int32(1)] * 2  # noqa: E731
        else:
            inner = chain(depth - 1)
            give = lambda: [sample + 1 for sample in inner.run()[0].as_array()]  # noqa: E731
        pipe = Pipeline(batch_size=2, num_threads=1)
        with pipe:
            pipe.set_outputs(fn.python_function(fn.external_source(give), function=lambda x: x * 2))
        return pipe

    pipe = chain(3)
    for _ in range(3):
        assert pipe.run()[0].as_array().tolist() == [30, 30]


def test_a_source_that_waits_keeps_nothing_else_waiting() -> None:
    """Neither another pipeline's source, nor what is to be done with batches it has given, at one thread."""

    def waiting(given: queue.Queue[int]) -> Pipeline:
        @pipeline_def(batch_size=2, num_threads=1, prefetch_queue_depth=3)
        def make() -> Any:
            numbers = fn.external_source(lambda: [np.array([given.get(timeout=60)]) for _ in range(2)])
            return fn.python_function(numbers + 1, function=lambda x: x * 2)

        return make()

    @pipeline_def(batch_size=2, num_threads=1)
    def other() -> Any:
        return fn.external_source(lambda: [np.zeros(1)] * 2)

    queues: list[queue.Queue[int]] = [queue.Queue(), queue.Queue()]
    pipes = [waiting(given) for given in queues]
    for pipe, given in zip(pipes, queues):
        pipe.schedule_run()
        for _ in range(2):  # for both samples of one batch
            given.put(3)
    other().run()
    for pipe in pipes:
        assert pipe.share_outputs()[0].as_array().tolist() == [[8], [8]]
    for given in queues:
        for _ in range(20):
            given.put(0)  # so that sources under way return


@pytest.mark.parametrize("where", ["source", "function"])
def test_what_runs_its_own_pipeline_is_told(where: str) -> None:
    def source() -> Any:
        if where == "source":
            pipe.run()
        return [np.zeros(1)] * 2

    def function(x: np.ndarray) -> np.ndarray:
        if where == "function":
            pipe.run()
        return x

    @pipeline_def(batch_size=2, num_threads=2)
    def make() -> Any:
        return fn.python_function(fn.external_source(source), function=function)

    pipe = make()
    with pytest.raises(RuntimeError, match="asks this pipeline for a batch"):
        pipe.run()


def test_functions_and_sources_of_two_pipelines_may_run_each_other() -> None:
    @pipeline_def(batch_size=1, num_threads=1)
    def inner() -> Any:
        return fn.python_function(fn.external_source(lambda: [np.ones(1)]), function=lambda x: x + 1)

    first, second = inner(), inner()

    @pipeline_def(batch_size=1, num_threads=1)
    def outer() -> Any:
        numbers = fn.external_source(lambda: [first.run()[0][0].as_array().copy()])
        return fn.python_function(numbers, function=lambda x: x + second.run()[0][0].as_array())

    made = outer()
    assert [made.run()[0].as_array().item() for _ in range(4)] == [4.0] * 4
