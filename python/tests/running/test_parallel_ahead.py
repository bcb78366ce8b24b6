"""How far ahead of need worker processes run a source: as far as `prefetch_queue_depth` says, and no further; less far
where it says more than a worker may have unread.

A source says into a pipe what it is called for. What must come is waited for; what must not have come is looked for once
the workers have ended.
"""

from __future__ import annotations

import os
import select
import struct
from collections import Counter
from typing import Any, Iterator

import numpy as np
import pytest

from forebay import fn, pipeline_def, types
from forebay.graph.parallel_source import ParallelFeed, start_workers
from forebay.graph.sources import CallableFeed, Feed, IterableFeed, OutputForm
from forebay.graph.worker_pool import _in_flight

SIZE = 6  # of a batch
RECORD = struct.Struct("<3i")
PATIENCE_S = 20


class Calls:
    """The pipe, which forked workers write to."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()

    def note(self, epoch: int, iteration: int, place: int) -> None:
        os.write(self._write, RECORD.pack(epoch, iteration, place))

    def next(self, count: int) -> Counter[tuple[int, int]]:
        """How many of the next so many calls were for which epoch and iteration."""
        data = b""
        while len(data) < count * RECORD.size:
            is_readable = select.select([self._read], [], [], PATIENCE_S)[0]
            assert is_readable, f"{len(data) // RECORD.size} calls have come, and not the {count} that must"
            data += os.read(self._read, count * RECORD.size - len(data))
        return Counter((epoch, iteration) for epoch, iteration, _ in RECORD.iter_unpack(data))

    def rest(self) -> bytes:
        """What nobody has read, once all workers have ended."""
        os.close(self._write)
        with os.fdopen(self._read, "rb") as pipe:
            return pipe.read()


@pytest.fixture
def calls() -> Iterator[Calls]:
    yield Calls()


def of_samples(calls: Calls) -> Any:
    def give(info: types.SampleInfo) -> np.ndarray:
        calls.note(info.epoch_idx, info.iteration, info.idx_in_batch)
        return np.int32([info.idx_in_epoch])

    return give


def of_batches(calls: Calls, end: int = 1000) -> Any:
    def give(info: types.BatchInfo) -> list[np.ndarray]:
        calls.note(info.epoch_idx, info.iteration, 0)
        if info.iteration >= end:
            raise StopIteration
        return [np.int32([info.iteration])] * SIZE

    return give


def of_steps(calls: Calls) -> Any:
    def give() -> Any:
        for iteration in range(1000):
            calls.note(0, iteration, 0)
            yield [np.int32([iteration])] * SIZE

    return give


KINDS = {"samples": (of_samples, SIZE), "batches": (of_batches, 1), "steps": (of_steps, 1)}


def fed(source: Any, kind: str, workers: int, depth: int) -> tuple[ParallelFeed, Any]:
    """A source by itself, without a pipeline that asks ahead for its own sake."""
    forms = [OutputForm()]
    inner: Feed
    if kind == "steps":
        inner = IterableFeed(source, forms, False, True, "no")
    else:
        inner = CallableFeed(source, forms, False, kind == "batches", True)
    feed = ParallelFeed(inner, depth, 0)
    return feed, start_workers([feed], workers, "fork", None, SIZE, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("workers", "depth"), [(1, 1), (1, 3), (2, 1), (3, 2), (2, 20), (1, 100)])
def test_so_many_batches_are_made_ahead(kind: str, workers: int, depth: int, calls: Calls) -> None:
    make, calls_of_batch = KINDS[kind]
    feed, pool = fed(make(calls), kind, workers, depth)
    for iteration in range(5):
        feed.next(iteration, 0, iteration * SIZE, SIZE)
        new = range(depth + 1) if iteration == 0 else [iteration + depth]
        assert calls.next(len(new) * calls_of_batch) == {(0, each): calls_of_batch for each in new}
    pool.close()
    assert calls.rest() == b""


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_has_only_so_many_that_nobody_has_read(kind: str, calls: Calls) -> None:
    make, calls_of_batch = KINDS[kind]
    depth = 200
    feed, pool = fed(make(calls), kind, 1, depth)
    unread = _in_flight(1)
    assert unread < depth
    feed.next(0, 0, 0, SIZE)
    calls.next((1 + unread) * calls_of_batch)
    for iteration in range(1, 2 * depth):
        feed.next(iteration, 0, iteration * SIZE, SIZE)
    pool.close()
    made = 1 + unread + len(calls.rest()) // RECORD.size // calls_of_batch
    assert 2 * depth <= made <= 3 * depth


def test_beyond_the_end_of_an_epoch_and_in_the_next(calls: Calls) -> None:
    end, depth = 4, 3
    feed, pool = fed(of_batches(calls, end), "batches", 2, depth)
    for epoch in range(2):
        for iteration in range(end):
            feed.next(iteration, epoch, iteration * SIZE, SIZE)
        with pytest.raises(StopIteration):
            feed.next(end, epoch, end * SIZE, SIZE)
        asked = end + depth + 1
        assert calls.next(asked) == {(epoch, each): 1 for each in range(asked)}
        feed.reset()
    pool.close()
    assert calls.rest() == b""


@pytest.mark.parametrize(("own", "depth"), [(1, 1), (1, 3), (2, 1), (3, 2)])
def test_a_pipelines_own_depth_comes_on_top(own: int, depth: int, calls: Calls) -> None:
    @pipeline_def(batch_size=SIZE, num_threads=1, py_num_workers=2, prefetch_queue_depth=own)
    def make() -> Any:
        return fn.external_source(of_samples(calls), parallel=True, batch=False, prefetch_queue_depth=depth)

    pipe = make()
    made = 0
    for taken in range(1, 6):
        pipe.run()
        new = range(made, taken + own + depth)
        assert calls.next(len(new) * SIZE) == {(0, each): SIZE for each in new}
        made = new.stop
    pipe.close()
    assert calls.rest() == b""
