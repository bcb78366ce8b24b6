"""Shuffling shard by shard: the files in a new random order each epoch, and the samples of each in one."""

from __future__ import annotations

import io
import pathlib
import tarfile
from typing import Any

import numpy as np
import pytest

import forebay.tfrecord as tfrec
from forebay import Pipeline, dynamic, fn, pipeline_def
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.numpy import NumpyIterator
from tfrecords import example_of, field, record_of

LENGTHS = (7, 2, 0, 5, 9, 4)  # of the shards
SAMPLES = sum(LENGTHS)
SHARD_OF = [shard for shard, length in enumerate(LENGTHS) for _ in range(length)]
BATCH_SIZE = 4

Place = tuple[int, int]  # epoch, position


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("shards")
    number = 0
    for shard, length in enumerate(LENGTHS):
        records = b""
        with tarfile.open(root / f"{shard}.tar", "w") as tar:
            for _ in range(length):
                member = tarfile.TarInfo(f"{number:02}.txt")
                member.size = 1
                tar.addfile(member, io.BytesIO(bytes([number])))
                records += record_of(example_of("id", field(3, field(1, bytes([number])))))
                number += 1
        (root / f"{shard}.tfrecord").write_bytes(records)
    return root


@pipeline_def(num_threads=2)
def numbers(root: pathlib.Path, shuffle: str | None = "shard_first", **reader: Any) -> Any:
    paths = [str(root / f"{shard}.tar") for shard in range(len(LENGTHS))]
    samples = fn.readers.webdataset(paths=paths, ext=["txt"], shuffle=shuffle, name="reader", **reader)
    return samples, fn.random.uniform(range=[0.0, 1.0])


def make(root: pathlib.Path, *, batch_size: int = BATCH_SIZE, seed: int = 3, **reader: Any) -> Pipeline:
    return numbers(root, batch_size=batch_size, seed=seed, **reader)


def given(pipe: Pipeline, batches: int) -> dict[Place, tuple[int, float]]:
    """What so many batches gave, by place; no place twice."""
    samples: dict[Place, tuple[int, float]] = {}
    for _ in range(batches):
        texts, drawn = pipe.run()
        for place, text, number in zip(pipe.delivered(), texts, drawn, strict=True):
            key = (place["epoch"], place["position"])
            assert key not in samples
            samples[key] = (int(np.array(text)[0]), float(np.array(number)))
    return samples


def of_epoch(samples: dict[Place, tuple[int, float]], epoch: int) -> list[int]:
    return [number for (of, _), (number, _) in samples.items() if of == epoch]


def test_an_epoch_is_every_sample_once_shard_by_shard(data: pathlib.Path) -> None:
    samples = given(make(data), 3 * SAMPLES // BATCH_SIZE + 1)
    orders = [of_epoch(samples, epoch) for epoch in range(3)]
    for order in orders:
        assert sorted(order) == list(range(SAMPLES))
        shards = [SHARD_OF[number] for number in order]
        assert sum(one != other for one, other in zip(shards, shards[1:])) == sum(length > 0 for length in LENGTHS) - 1
    assert orders[0] != orders[1] != orders[2]
    assert orders[0] != of_epoch(given(make(data, seed=4), SAMPLES), 0)


def test_the_order_is_the_same_for_any_batch_size_and_number_of_readers(data: pathlib.Path) -> None:
    whole = given(make(data, batch_size=1), 2 * SAMPLES)
    for shards in (2, 3, 5):
        parts: dict[Place, tuple[int, float]] = {}
        sizes = set()
        for shard in range(shards):
            mine = given(make(data, batch_size=3, shard_id=shard, num_shards=shards), SAMPLES)
            sizes.add(len(of_epoch(mine, 0)))
            parts |= {place: sample for place, sample in mine.items() if place[0] < 2}
        assert parts == whole
        assert max(sizes) - min(sizes) <= 1


def test_a_run_goes_on_with_another_number_of_readers(data: pathlib.Path) -> None:
    whole = given(make(data), SAMPLES)
    samples: dict[Place, tuple[int, float]] = {}
    states: list[Any] = []
    for shards, batches in ((3, 1), (1, 2), (4, 2)):
        pipes = [make(data, shard_id=shard, num_shards=shards) for shard in range(shards)]
        for pipe in pipes:
            if states:
                pipe.load_state_dict(states)
            fresh = given(pipe, batches)
            assert not fresh.keys() & samples.keys()
            samples |= fresh
        states = [pipe.state_dict() for pipe in pipes]
    assert len(samples) == BATCH_SIZE * (3 + 2 + 8)
    assert samples.items() <= whole.items()


def test_a_sample_can_be_made_again(data: pathlib.Path) -> None:
    pipe = make(data)
    for (epoch, position), (number, drawn) in given(pipe, 9).items():
        text, again = pipe.replay(position, epoch)
        assert (int(np.array(text)[0]), float(np.array(again))) == (number, drawn)
    with pytest.raises(IndexError, match="there is no position"):
        pipe.replay(2**61)


@pytest.mark.parametrize("policy", LastBatchPolicy)
def test_iterators_of_several_readers_give_as_many_batches(data: pathlib.Path, policy: LastBatchPolicy) -> None:
    counts = []
    for shard in range(3):
        pipe = make(data, shard_id=shard, num_shards=3)
        batches = NumpyIterator(pipe, ["text", "drawn"], reader_name="reader", last_batch_policy=policy)
        counts.append([len(list(batches)), len(list(batches))])
    assert counts[0] == counts[1] == counts[2]


def test_records_are_shuffled_alike(data: pathlib.Path) -> None:
    @pipeline_def(batch_size=BATCH_SIZE, num_threads=2, seed=3)
    def records() -> Any:
        return fn.readers.tfrecord(
            path=[str(data / f"{shard}.tfrecord") for shard in range(len(LENGTHS))], shuffle="shard_first",
            features={"id": tfrec.FixedLenFeature([1], tfrec.int64, -1)}, name="reader",
        )["id"]

    pipe = records()
    ids = [int(np.array(sample)[0]) for _ in range(2 * SAMPLES // BATCH_SIZE) for sample in pipe.run()[0]]
    assert ids == [number for number, _ in given(make(data), 2 * SAMPLES // BATCH_SIZE).values()]


@pytest.mark.parametrize("other", ["random_shuffle", "shuffle_after_epoch", "stick_to_shard"])
def test_it_is_not_mixed_with_other_orders(data: pathlib.Path, other: str) -> None:
    with pytest.raises(ValueError, match=f"`shuffle` and `{other}` cannot be given together"):
        make(data, **{other: True}).build()


def test_other_words_are_refused(data: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="shuffle='all' is not one of .'shard_first'"):
        make(data, shuffle="all").build()


def test_readers_of_dynamic_mode_draw_their_order_from_the_default_generator(data: pathlib.Path) -> None:
    def order(seed: int) -> list[int]:
        dynamic.random.set_seed(seed)
        reader = dynamic.readers.Webdataset(
            paths=[str(data / f"{shard}.tar") for shard in range(len(LENGTHS))], ext=["txt"], shuffle="shard_first"
        )
        return [int(np.array(sample[0] if isinstance(sample, tuple) else sample)[0]) for sample in reader.next_epoch()]

    assert sorted(order(1)) == list(range(SAMPLES))
    assert order(1) == order(1) != order(2)
