"""Every combination of what decides a place in the data, against a plain model and from a state at every position."""

from __future__ import annotations

import itertools
import json
from typing import Any, Iterator

import numpy as np
import pytest
from places import BATCH, check_resume, labels_in

from forebay import fn, pipeline_def, types
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.numpy import NumpyIterator

def rank_stream(samples: int, shard: int, shards: int, padded: bool) -> Iterator[int]:
    """The labels that a rank reads, epoch after epoch."""
    longest = -(-samples // shards)
    for epoch in itertools.count():
        place = (shard + epoch) % shards
        own = list(range(place * samples // shards, (place + 1) * samples // shards))
        if padded:
            whole = -(-longest // BATCH) * BATCH
            own += [own[-1]] * (whole - len(own))
        yield from own


def model(stream: Iterator[int], count: int, broken: int, policy: str, feed: str, keeps: bool) -> list[Any]:
    """What `count` calls give, by the rules of the documents: plainly, one batch after the other."""

    def first_phase() -> Iterator[Any]:
        iteration, epoch = 0, 0
        while True:
            if feed == "ends" and iteration == 3:
                yield "end"
                iteration, epoch = 0, epoch + 1
                continue
            labels = list(itertools.islice(stream, BATCH))
            yield [(label, [label], *([[epoch * 100 + iteration]] if feed != "none" else [])) for label in labels]
            iteration += 1

    given: list[Any] = []
    waiting: list[Any] = []
    for batch in first_phase():
        if batch == "end":
            if waiting:
                given.append("SampleError" if any(row[0] == broken for row in waiting) else waiting)
                waiting = []
            given.append("end")
        elif not keeps:
            whole = [row for row in batch if row[0] != broken]
            given.append("SampleError" if policy == "raise" and len(whole) < len(batch) else whole)
        else:
            for row in batch:
                if row[0] == broken and policy == "skip" or row[0] != broken and row[0] % 3 == 2:
                    continue
                waiting.append(row)
                if len(waiting) == BATCH:
                    is_bad = any(row[0] == broken for row in waiting)
                    given.append("SampleError" if is_bad else waiting)
                    waiting = []
        if len(given) >= count:
            return given[:count]
    raise AssertionError("streams are endless")


def as_outputs(given: list[Any]) -> list[Any]:
    """Rows of a batch as the pipeline's outputs."""
    return [one if isinstance(one, str) else [list(column) for column in list(zip(*one))[1:]] for one in given]


def without_replaced(given: list[Any], expected: list[Any]) -> list[Any]:
    """The labels but for those in places where number 1 is expected, which is broken."""
    batches = []
    for batch, model_batch in zip(given, expected, strict=True):
        if not isinstance(model_batch, str):
            places = range(len(model_batch[0]))
            batch = [[None if model_batch[0][place] == [1] else column[place] for place in places] for column in batch[:1]]
        batches.append(batch)
    return batches


CASES = list(itertools.product(["raise", "skip", "replace"], ["none", "endless", "ends"], [False, True], [False, True],
                               [(0, 1), (1, 2), (2, 3)]))


@pytest.mark.parametrize(("policy", "feed", "keeps", "padded", "rank"), CASES)
def test_every_combination_keeps_its_place(
    numbered_files: list[str], numbered_broken_files: list[str], policy: str, feed: str, keeps: bool, padded: bool,
    rank: tuple[int, int],
) -> None:
    """Against the model, and from a state at every position, twice in a row."""
    shard, shards = rank
    # Number 1 is broken; it never fills a batch, not even by padding.
    names = [numbered_files[0], numbered_broken_files[2], *numbered_files[2:11]]

    def source(info: Any) -> Any:
        if feed == "ends" and info.iteration == 3:
            raise StopIteration
        return [np.array([info.epoch_idx * 100 + info.iteration], np.int32)] * BATCH

    @pipeline_def(batch_size=BATCH, num_threads=2, seed=5, on_error=policy)
    def pipeline() -> Any:
        images, labels = fn.readers.file(
            files=names, labels=list(range(11)), shard_id=shard, num_shards=shards, pad_last_batch=padded
        )
        shown = fn.cast(labels + 0 * fn.reductions.max(fn.decoders.image(images)), dtype=types.INT32)
        outputs = [shown] if feed == "none" else [shown, fn.external_source(source, batch_info=True)]
        return fn.keep(*outputs, where=labels % 3 != 2) if keeps else tuple(outputs)

    count = 12
    if policy != "replace":
        expected = as_outputs(model(rank_stream(11, shard, shards, padded), count, 1, policy, feed, keeps))
        assert check_resume(pipeline, count) == expected
        return
    given = check_resume(pipeline, count)
    # Beside a source a broken sample is left out; behind `keep` it depends on the one in its place how many there are.
    if feed == "none" and not keeps:
        expected = as_outputs(model(rank_stream(11, shard, shards, padded), count, -1, policy, feed, keeps))
        assert without_replaced(given, expected) == without_replaced(expected, expected)


def iterator_model(
    samples: int, shard: int, shards: int, padded: bool, policy: LastBatchPolicy, epochs: int
) -> list[Any]:
    """Epochs of an iterator over one rank's reader, as the table of `forebay.plugin.epochs` has them."""
    stream = rank_stream(samples, shard, shards, padded)
    carry = [0] * shards
    given = []
    for epoch in range(epochs):
        sizes = []
        for first in range(shards):
            place = (first + epoch) % shards
            sizes.append((place + 1) * samples // shards - place * samples // shards)
        longest = -(-samples // shards)
        own = sizes[shard]
        if policy is LastBatchPolicy.DROP:
            steps = min(sizes) // BATCH
            taken = -(-longest // BATCH) if padded else -(-min(sizes) // BATCH)
        elif policy is LastBatchPolicy.FILL and not padded:
            taken = steps = max(0, max(-(-(size - left) // BATCH) for size, left in zip(sizes, carry)))
        else:
            taken = steps = -(-longest // BATCH)
        batches = [list(itertools.islice(stream, BATCH)) for _ in range(taken)][:steps]
        if policy is LastBatchPolicy.PARTIAL:
            batches = [batch[: max(0, own - number * BATCH)] for number, batch in enumerate(batches)]
        if policy is LastBatchPolicy.FILL and not padded:
            carry = [left + taken * BATCH - size for left, size in zip(carry, sizes)]
        given.append(batches)
    return given


ITERATORS = list(itertools.product(LastBatchPolicy, [False, True], [(0, 1), (1, 2), (2, 3)], [7, 11, 12]))


@pytest.mark.parametrize(("policy", "padded", "rank", "samples"), ITERATORS)
def test_iterators_keep_their_place(
    numbered_files: list[str], policy: LastBatchPolicy, padded: bool, rank: tuple[int, int], samples: int
) -> None:
    shard, shards = rank
    epochs = 4

    def make() -> Any:
        @pipeline_def(batch_size=BATCH, num_threads=1)
        def pipeline() -> Any:
            return fn.readers.file(
                files=numbered_files[:samples], labels=list(range(samples)), name="reader", shard_id=shard,
                num_shards=shards, pad_last_batch=padded,
            )[1]

        return NumpyIterator(pipeline(), ["label"], reader_name="reader", last_batch_policy=policy, auto_reset=True)

    expected = iterator_model(samples, shard, shards, padded, policy, epochs)
    whole = make()
    assert [labels_in(whole) for _ in range(epochs)] == expected
    for place in range(sum(map(len, expected)) + epochs - 1):
        first = make()
        for _ in range(place):
            try:
                next(first)
            except StopIteration:
                pass
        state = json.loads(json.dumps(first.state_dict()))
        second = make()
        second.load_state_dict(state)
        flat = [step for epoch in expected for step in [*epoch, "end"]]
        for step in flat[place:]:
            try:
                assert next(second)[0]["label"].ravel().tolist() == step, place
            except StopIteration:
                assert step == "end", place
