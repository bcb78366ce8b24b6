"""Sources and functions that wait, that run pipelines, and that belong to objects which keep their pipeline."""

from __future__ import annotations

import gc
import queue
import sys
import time
import weakref
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


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("where", ["source", "function"])
def test_pipelines_that_run_each_other_in_a_ring_are_told(where: str, count: int) -> None:
    asked: list[int] = []

    def make(number: int) -> Any:
        def ask_next() -> None:
            asked.append(number)
            pipes[(number + 1) % count].run()

        def source() -> Any:
            if where == "source":
                ask_next()
            return [np.zeros(1)]

        def function(x: np.ndarray) -> np.ndarray:
            if where == "function":
                ask_next()
            return x

        @pipeline_def(batch_size=1, num_threads=2)
        def made() -> Any:
            return fn.python_function(fn.external_source(source), function=function)

        return made()

    pipes = [make(number) for number in range(count)]
    with pytest.raises(RuntimeError, match="none of them would ever go on"):
        pipes[0].run()
    asked_before = len(asked)
    for pipe in pipes:
        with pytest.raises(RuntimeError, match="none of them would ever go on"):
            pipe.run()
    assert len(asked) == asked_before == count, "no source or function is called again"


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


class Loader:
    """Keeps the pipeline that asks it for data, as loaders do."""

    def __init__(self, form: str) -> None:
        self.data = np.ones((4, 8))

        @pipeline_def(batch_size=4, num_threads=1)
        def make() -> Any:
            if form == "function":
                return fn.python_function(fn.external_source(lambda: np.ones((4, 8))), function=self.work)
            return fn.external_source(None if form == "server" else self.next, name="x")

        self.pipe = make()
        if form == "server":
            self.server = self.pipe.serve()
            assert self.server.submit(key=0, x=np.ones(3)).result(60)[0].shape() == [3]
        else:
            self.batch = self.pipe.run()

    def next(self) -> np.ndarray:
        return self.data

    def work(self, x: np.ndarray) -> np.ndarray:
        return x + self.data[0]


@pytest.mark.parametrize("form", ["source", "function", "server"])
def test_loaders_that_keep_their_pipeline_are_collected(form: str) -> None:
    kept = []
    for _ in range(5):
        kept.append(weakref.ref(Loader(form)))
    end = time.monotonic() + 60
    while any(reference() is not None for reference in kept) and time.monotonic() < end:
        gc.collect()  # again where a source was just being asked
    assert [reference() for reference in kept] == [None] * 5


def test_promised_arrays_of_loaders_that_are_collected_are_made() -> None:
    class Counting:
        """Gives numbered batches, by a function of the object and by a closure."""

        def __init__(self) -> None:
            self.position = 0

            def plus(x: np.ndarray) -> np.ndarray:
                return x + self.step

            @pipeline_def(batch_size=2, num_threads=1, prefetch_queue_depth=1)
            def make() -> Any:
                return fn.python_function(fn.external_source(self.next), function=plus)

            self.step = 1
            self.pipe = make()

        def next(self) -> list[np.ndarray]:
            self.position += 1
            return [np.full(3, self.position, np.float32)] * 2

    def promised() -> tuple[weakref.ref[Counting], list[Any]]:
        loader = Counting()
        loader.pipe.build()
        return weakref.ref(loader), [loader.pipe.run_arrays()[0] for _ in range(5)]

    reference, arrays = promised()
    gc.collect()
    assert [int(array.asnumpy()[0, 0]) for array in arrays] == [2, 3, 4, 5, 6]
    end = time.monotonic() + 60
    while reference() is not None and time.monotonic() < end:
        gc.collect()
    assert reference() is None


def test_the_collector_takes_nothing_apart_that_is_about_to_be_called() -> None:
    """Many loaders are dropped while their sources are being asked: as many as a second has room for, up to 20."""
    torn: list[BaseException] = []
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        end = time.monotonic() + 1
        for _ in range(20):
            Torn(torn)
            gc.collect()
            if time.monotonic() > end:
                break
    finally:
        sys.setswitchinterval(before)
    assert torn == []


class Torn:
    """Notes what its functions raise when they are called without what they refer to."""

    def __init__(self, torn: list[BaseException]) -> None:
        def function(x: np.ndarray) -> np.ndarray:
            try:
                return x + self.numbers
            except Exception as error:
                torn.append(error)
                raise

        @pipeline_def(batch_size=8, num_threads=2, prefetch_queue_depth=4)
        def make() -> Any:
            return fn.python_function(fn.external_source(lambda: [self.numbers] * 8), function=function)

        self.numbers = np.ones(3)
        self.pipe = make()
        self.pipe.run()
