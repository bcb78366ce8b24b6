"""A pipeline keeps its place: what was given is counted once, and what runs side by side stays so."""

from __future__ import annotations

import itertools
import json
import pathlib
import signal
from typing import Any, Iterator

import numpy as np
import pytest
from places import BATCH, check_resume, labels_in, take, value

from forebay import SampleError, fn, pipeline_def, types
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.numpy import NumpyIterator

class Counting:
    """An iterable that gives batches of its count, and raises at one of them."""

    def __init__(self, bad: int = -1, size: int = 1000) -> None:
        self.bad = bad
        self.size = size

    def __iter__(self) -> Iterator[Any]:
        self.count = 0
        return self

    def __next__(self) -> Any:
        number = self.count
        self.count += 1
        if number == self.bad:
            raise ValueError("bad")
        if number >= self.size:
            raise StopIteration
        return [np.array([number], np.int32)] * BATCH


@pipeline_def(batch_size=BATCH, num_threads=2)
def beside(*sources: Any, cycle: Any = None) -> Any:
    return tuple(fn.external_source(source, cycle=cycle) for source in sources)


def pairs(given: list[Any]) -> list[Any]:
    return [one if isinstance(one, str) else tuple(output[0][0] for output in one) for one in given]


# --- feeds with `keep` -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_a_feed_behind_keep_goes_on_where_it_was(numbered_files: list[str], threads: int) -> None:
    def source(info: Any) -> Any:
        if info.iteration == 3:
            raise StopIteration
        return [np.array([info.epoch_idx * 100 + info.iteration * 10 + k], np.int32) for k in range(BATCH)]

    @pipeline_def(batch_size=BATCH, num_threads=threads, seed=3)
    def pipeline() -> Any:
        _, labels = fn.readers.file(files=numbered_files[:7], labels=list(range(7)))
        fed = fn.external_source(source, batch_info=True)
        draws = fn.random.uniform(range=[0.0, 1.0])
        return fn.keep(fed, labels, draws, where=labels % 3 != 1)

    expected = check_resume(pipeline, 12)
    assert [fed[0] // 100 for one in expected if one != "end" for fed in one[0]].count(2) > 0  # a third epoch


def test_random_numbers_do_not_repeat_in_epochs_behind_keep() -> None:
    def source(info: Any) -> Any:
        if info.iteration == 2:
            raise StopIteration
        return [np.array([info.epoch_idx], np.int32)] * BATCH

    @pipeline_def(batch_size=BATCH, num_threads=1, seed=3)
    def pipeline() -> Any:
        return fn.keep(fn.external_source(source, batch_info=True), fn.random.uniform(range=[0.0, 1.0]), where=True)

    given = [one for one in take(pipeline(), 15) if one != "end"]
    assert [one[0][0][0] for one in given] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    draws = [draw[0] for one in given for draw in one[1]]
    assert len(set(draws)) == len(draws)


@pytest.mark.parametrize("kind", ["permute_batch", "normalize", "function"])
def test_operators_of_whole_batches_before_keep_see_the_same_batches(numbered_files: list[str], kind: str) -> None:
    @pipeline_def(batch_size=4, num_threads=2, seed=3)
    def pipeline() -> Any:
        _, labels = fn.readers.file(files=numbered_files, labels=list(range(12)), random_shuffle=True)
        seen = fn.cast(labels, dtype=types.FLOAT)
        if kind == "permute_batch":
            seen = fn.permute_batch(seen, indices=[3, 2, 1, 0])
        elif kind == "normalize":
            seen = fn.normalize(seen, batch=True)
        else:
            seen = fn.python_function(seen, function=lambda all: [one - all[0] for one in all], batch_processing=True)
        return fn.keep(seen, labels, where=labels % 3 != 0)

    check_resume(pipeline, 8)


# --- several sources, several pipelines ------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [0, 1])
def test_a_source_that_raises_costs_its_batch_and_shifts_nobody(bad: int) -> None:
    sources = [Counting(bad=2 if number == bad else -1) for number in range(2)]
    assert pairs(take(beside(*sources), 6)) == [(0, 0), (1, 1), "ValueError", (3, 3), (4, 4), (5, 5)]


def test_an_iterable_of_samples_that_raises_goes_on_with_the_next_batch() -> None:
    class Samples(Counting):
        def __next__(self) -> Any:
            return super().__next__()[0]

    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline() -> Any:
        return fn.external_source(Samples(bad=4), batch=False), fn.external_source(Counting())

    assert pairs(take(pipeline(), 5)) == [(0, 0), (2, 1), "ValueError", (6, 3), (8, 4)]


@pytest.mark.parametrize("batch", [True, False])
def test_an_indexed_source_goes_on_behind_its_error(numbered_files: list[str], batch: bool) -> None:
    def source(asked: Any) -> Any:
        number = asked if batch else asked.idx_in_epoch // BATCH
        if number == 2:
            raise ValueError("bad")
        return [np.array([number], np.int32)] * BATCH if batch else np.array([number], np.int32)

    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline() -> Any:
        _, labels = fn.readers.file(files=numbered_files, labels=[number // BATCH for number in range(12)])
        return labels, fn.external_source(source, batch=batch)

    assert pairs(take(pipeline(), 6)) == [(0, 0), (1, 1), "ValueError", (3, 3), (4, 4), (5, 5)]


def test_batches_fed_by_hand_are_taken_all_or_none() -> None:
    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline() -> Any:
        return fn.external_source(name="a"), fn.external_source(name="b")

    def batch(number: int) -> Any:
        return [np.array([number], np.int32)] * BATCH

    made = pipeline()
    made.run(a=batch(0), b=batch(0))
    for wrong in (np.array(["x", "y"]), [np.array([1], np.int32)]):
        with pytest.raises(Exception):
            made.run(a=batch(1), b=wrong)
    assert pairs([[value(output) for output in made.run(a=batch(2), b=batch(2))]]) == [(2, 2)]


def test_what_a_source_gave_when_another_ended_is_not_lost() -> None:
    count = itertools.count()

    def source() -> Any:
        return [np.array([next(count)], np.int32)] * BATCH

    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline() -> Any:
        return fn.external_source(source), fn.external_source(Counting(size=2), cycle="raise")

    assert pairs(take(pipeline(), 6)) == [(0, 0), (1, 1), "end", (2, 0), (3, 1), "end"]


def test_cycled_sources_of_unequal_length_begin_each_epoch_together() -> None:
    made = beside(Counting(size=5), Counting(size=3), cycle="raise")
    assert pairs(take(made, 8)) == [(0, 0), (1, 1), (2, 2), "end"] * 2


def labels_of(numbered_files: list[str], **arguments: Any) -> Any:
    numbers = list(range(len(numbered_files)))
    images, labels = fn.readers.file(files=numbered_files, labels=numbers, name="reader", **arguments)
    return fn.resize(fn.decoders.image(images), size=(8, 8)), labels


@pytest.mark.parametrize("policy", list(LastBatchPolicy))
def test_iterators_count_broken_batches(numbered_broken_files: list[str], policy: LastBatchPolicy) -> None:
    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline() -> Any:
        return labels_of(numbered_broken_files)

    iterator = NumpyIterator(pipeline(), ["data", "label"], reader_name="reader", last_batch_policy=policy,
                             auto_reset=True)
    for _ in range(3):
        assert labels_in(iterator) == [[0, 1], "SampleError", [4, 5], [6, 7], [8, 9], [10, 11]]


def test_a_broken_batch_of_one_pipeline_takes_the_others_along(numbered_broken_files: list[str]) -> None:
    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline(shard: int) -> Any:
        return labels_of(numbered_broken_files, shard_id=shard, num_shards=2, stick_to_shard=True)

    for order in ((0, 1), (1, 0)):
        iterator = NumpyIterator([pipeline(shard) for shard in order], ["data", "label"], reader_name="reader",
                                 auto_reset=True)
        for _ in range(2):
            given: list[Any] = []
            while True:
                try:
                    given.append({pipe["label"].ravel().tolist()[0] for pipe in next(iterator)})
                except StopIteration:
                    break
                except SampleError:
                    given.append("SampleError")
            assert given == [{0, 6}, "SampleError", {4, 10}]


def test_an_interrupt_between_pipelines_loses_nothing() -> None:
    is_interrupting = [True]

    @pipeline_def(batch_size=BATCH, num_threads=1, prefetch_queue_depth=1)
    def pipeline(interrupts: bool) -> Any:
        def source(number: int) -> Any:
            if interrupts and number == 2 and is_interrupting.pop():
                is_interrupting.append(False)
                signal.raise_signal(signal.SIGINT)
            return [np.array([number], np.int32)] * BATCH

        return fn.external_source(source)

    iterator = NumpyIterator([pipeline(False), pipeline(True)], ["x"], size=1000)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    given: list[Any] = []
    try:
        while len(given) < 6:
            try:
                given.append(tuple(int(pipe["x"].ravel()[0]) for pipe in next(iterator)))
            except KeyboardInterrupt:
                state = iterator.state_dict()
                assert [json.loads(one["session"])["iteration"] for one in state["pipelines"]] == [2, 2]
    finally:
        signal.signal(signal.SIGINT, before)
    assert given == [(number, number) for number in range(6)]


def test_a_source_that_ends_before_the_iterators_size() -> None:
    def source(number: int) -> Any:
        if number == 2:
            raise StopIteration
        return [np.array([number * BATCH + k], np.int32) for k in range(BATCH)]

    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline() -> Any:
        return fn.external_source(source)

    for policy, auto_reset in itertools.product(LastBatchPolicy, (True, False)):
        iterator = NumpyIterator(pipeline(), ["label"], size=5, auto_reset=auto_reset, last_batch_policy=policy)
        for _ in range(3):
            assert labels_in(iterator) == [[0, 1], [2, 3]]
            if not auto_reset:
                iterator.reset()


# --- states -----------------------------------------------------------------------------------------------------------


def test_arrays_that_the_user_has_are_counted(numbered_files: list[str]) -> None:
    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline() -> Any:
        return labels_of(numbered_files)

    made = pipeline()
    arrays = [made.run_arrays() for _ in range(4)]
    state = made.state_dict()
    second = pipeline()
    second.load_state_dict(state)
    assert arrays[-1][1].asnumpy().ravel().tolist() == [6, 7]
    assert value(second.run()[1]) == [[8], [9]]


@pytest.mark.parametrize("auto_reset", [False, True])
@pytest.mark.parametrize("is_told", [False, True], ids=["last batch", "end"])
def test_an_iterator_resumed_at_the_end_of_an_epoch_gives_the_next(
    numbered_files: list[str], auto_reset: bool, is_told: bool
) -> None:
    def make() -> Any:
        @pipeline_def(batch_size=BATCH, num_threads=1)
        def pipeline() -> Any:
            return labels_of(numbered_files[:7])

        return NumpyIterator(pipeline(), ["data", "label"], reader_name="reader", auto_reset=auto_reset)

    def epoch(iterator: Any) -> list[Any]:
        return [batch[0]["label"].ravel().tolist() for batch in iterator]

    first = make()
    for _ in range(len(first)):
        next(first)
    if is_told:
        with pytest.raises(StopIteration):
            next(first)
    state = first.state_dict()
    expected = [epoch(first) for _ in range(3)]
    second = make()
    second.load_state_dict(state)
    assert [epoch(second) for _ in range(3)] == expected
    assert all(expected)


def test_a_refused_state_changes_nothing(numbered_files: list[str]) -> None:
    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline(count: int = 7) -> Any:
        return fn.readers.file(files=numbered_files[:count], labels=list(range(count)), random_shuffle=True)[1]

    made = pipeline()
    take(made, 2)
    state, seed = made.state_dict(), made.seed
    other = pipeline(5).state_dict()
    wrong = json.loads(state["session"])
    wrong["used"] = [3]
    for refused in (other, {**state, "session": json.dumps(wrong)}, {**state, "session": "{"}, {"version": 1}, 3):
        with pytest.raises(Exception):
            made.load_state_dict(refused)
        assert (made.state_dict(), made.seed) == (state, seed)


def test_a_used_generator_refuses_a_state() -> None:
    def numbers() -> Iterator[Any]:
        for number in range(100):
            yield [np.array([number], np.int32)] * BATCH

    made = beside(numbers)
    take(made, 3)
    made.load_state_dict(made.state_dict())
    assert pairs(take(made, 1)) == [(3,)]  # from a function it can begin anew

    made = beside(numbers())
    take(made, 3)
    with pytest.raises(ValueError, match="gives its data once"):
        made.load_state_dict(made.state_dict())
    assert pairs(take(made, 1)) == [(3,)]


# --- ends -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("kind", ["indexed", "iterable"])
def test_the_last_samples_of_a_source_are_given(kind: str, parallel: bool) -> None:
    def source(info: Any) -> Any:
        if info.idx_in_epoch >= 10:
            raise StopIteration
        return np.array([info.idx_in_epoch], np.int32)

    items = source if kind == "indexed" else [np.array([number], np.int32) for number in range(10)]

    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=2)
    def pipeline() -> Any:
        cycle = "raise" if kind == "iterable" else None
        return fn.external_source(items, batch=False, cycle=cycle, parallel=parallel)

    made = pipeline()
    epoch = [[[[0], [1], [2], [3]]], [[[4], [5], [6], [7]]], [[[8], [9]]], "end"]
    assert take(made, 8) == epoch * 2
    made.close()


def test_unequal_readers_are_refused_by_name(numbered_files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    @pipeline_def(batch_size=BATCH, num_threads=1)
    def pipeline() -> Any:
        images = fn.readers.file(files=numbered_files, labels=list(range(12)), name="images")[1]
        masks = fn.readers.file(files=numbered_files[:7], labels=list(range(7)), name="masks")[1]
        return images, masks

    with pytest.raises(ValueError, match="'images' and 'masks'.* 12 samples .* 7 in"):
        pipeline().build()
    assert pairs(take(pipeline(unequal_readers="warn"), 1)) == [(0, 0)]
    assert "'images' and 'masks'" in capfd.readouterr().err
    with pytest.raises(ValueError, match="'error' or 'warn'"):
        pipeline(unequal_readers="no")


def test_what_is_written_down_of_a_state_is_small(numbered_files: list[str], tmp_path: pathlib.Path) -> None:
    @pipeline_def(batch_size=BATCH, num_threads=1, enable_checkpointing=True)
    def pipeline() -> Any:
        images, labels = labels_of(numbered_files)
        return fn.keep(images, labels, where=labels > 2)

    made = pipeline()
    take(made, 3)
    assert len(made.checkpoint(str(tmp_path / "checkpoint"))) < 1024


def test_a_state_taken_at_once_is_that_of_the_checkpoint() -> None:
    @pipeline_def(batch_size=BATCH, num_threads=1, enable_checkpointing=True)
    def pipeline() -> Any:
        return fn.external_source(Counting()), fn.random.uniform(range=(0.0, 1.0))

    made = pipeline()
    take(made, 2)
    again = pipeline(checkpoint=made.checkpoint())  # without a seed of its own
    assert again.state_dict() == made.state_dict()
