"""One suite over every source of samples: sizes, shards, order, names, resuming, arguments and plans are the same for
all, of local files and of S3. The sources are the rows of reader_sources.py; test_reader_faults.py goes on with them.

    python test_reader_conformance.py --write     writes docs/operators/sources.md
"""

from __future__ import annotations

import collections
import concurrent.futures
import functools
import importlib
import json
import os
import pathlib
import sys
import urllib.parse
from collections.abc import Callable
from typing import Any

import pytest
import reader_sources
from conformance import (
    BATCH_SIZE, IN_A_SHARD, TEN, DataSet, GivenAs, Library, LocalPlace, Orders, S3Place, batch_of, case_of, epoch_of,
    number_of, numbers_of, page, parts_of, stream,
)
from reader_sources import ODD_NAMES, OF_DATA, SOURCES, Source

import forebay
from forebay import Pipeline, fn
from forebay.fn import generate

pytestmark = pytest.mark.filterwarnings("ignore:.*readers.sequence:DeprecationWarning")
case = case_of("Order and names")
PAGE = pathlib.Path(__file__).parents[3] / "docs" / "operators" / "sources.md"


@functools.cache
def readers() -> dict[str, dict[str, Any]]:
    """The arguments of each reader in the operator table."""
    return {row["name"]: {argument["name"]: argument for argument in row["parameters"]}
            for row in generate.table() if row["scope"] == "source"}


def shared_arguments() -> set[str]:
    """Those that several readers have, but for what says where and what the data are."""
    counts = collections.Counter(argument for arguments in readers().values() for argument in arguments)
    return {argument for argument, count in counts.items() if count > 1} - OF_DATA


def some(library: Library, shards: int) -> list[int]:
    """The ranks that are tried: far away, where each takes its time, the last one."""
    return list(range(shards)) if isinstance(library.place, LocalPlace) else [shards - 1]


# --- the table -------------------------------------------------------------------------------------------------------


def test_every_reader_is_in_the_table() -> None:
    assert {source.operator for source in SOURCES} == set(readers())
    assert len({source.name for source in SOURCES}) == len(SOURCES)


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_every_reader_has_the_arguments_of_all(source: Source) -> None:
    assert shared_arguments() - set(readers()[source.operator]) == set(source.lacks)


def whole_page() -> str:
    """Of this module's cases and of the other one's."""
    importlib.import_module("test_reader_faults")
    return page()


def test_the_page_is_what_the_table_says() -> None:
    assert PAGE.read_text() == whole_page(), "python python/tests/readers/test_reader_conformance.py --write"


# --- sizes -----------------------------------------------------------------------------------------------------------


@case("empty", "a data set without samples is FileNotFoundError: \"no samples found\", and where")
def test_empty(source: Source, library: Library) -> None:
    data = library.of(source, ())
    with pytest.raises(FileNotFoundError, match="no samples found") as caught:
        data.pipeline().run()
    assert data.root in str(caught.value)


@case("one sample", "it is every sample of a batch, and of every epoch")
def test_one_sample(source: Source, library: Library) -> None:
    pipe = library.of(source, (9,)).pipeline()
    assert [batch_of(pipe), batch_of(pipe)] == [[9] * BATCH_SIZE] * 2
    assert pipe.epoch_size("reader") == 1


@case("fewer than shards", "3 samples in 8 shards are ValueError, which says both numbers, as in DALI")
def test_fewer_samples_than_shards(source: Source, library: Library) -> None:
    data = library.of(source, (5, 6, 7))
    with pytest.raises(ValueError, match="num_shards is 8; it must be from 1 to the number of samples, 3"):
        data.pipeline(num_shards=8, shard_id=1).run()
    assert numbers_of(data.pipeline(num_shards=3, shard_id=1, stick_to_shard=True), 2) == [6, 6]


@case("empty files", "files without samples among others are no samples and no errors", needs="shards")
def test_empty_files(source: Source, library: Library) -> None:
    pipe = library.make(source, {"000": (), "001": (4, 5), "002": (), "003": (6,), "004": ()}).pipeline()
    assert numbers_of(pipe, 6) == [4, 5, 6] * 2
    assert pipe.epoch_size("reader") == 3


DIVISIONS: list[dict[str, Any]] = [{}, {"stick_to_shard": True}, {"pad_last_batch": True},
                                   {"stick_to_shard": True, "pad_last_batch": True}]


@case("uneven sizes", "10 samples in 1, 3 and 8 shards that rotate, stick and are padded, in batches of 4")
def test_sizes_that_do_not_divide(source: Source, library: Library) -> None:
    data = library.of(source, TEN)
    for shards, shard in [(shards, shard) for shards in (1, 3, 8) for shard in some(library, shards)]:
        options = DIVISIONS[(shard + shards // 3) % 4]
        expected = stream(lambda epoch: TEN, shards, shard, "stick_to_shard" in options, "pad_last_batch" in options)
        pipe = data.pipeline(num_shards=shards, shard_id=shard, **options)
        assert numbers_of(pipe, 24) == [next(expected) for _ in range(24)]
        assert pipe.reader_meta("reader")["epoch_size"] == len(TEN)


# --- order -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def orders(libraries: dict[str, Library]) -> Orders:
    """The shuffled orders of TEN, by the first source of the table."""
    numbers = numbers_of(libraries["local"].of(SOURCES[0], TEN).pipeline(random_shuffle=True), 200)
    return lambda epoch: numbers[10 * epoch : 10 * epoch + 10]


@case("shuffled", "an epoch is the same permutation, whatever the source and the number of shards, which divide it")
@pytest.mark.parametrize("shards", [1, 8])
def test_shuffled(source: Source, library: Library, orders: Orders, shards: int) -> None:
    assert sorted(orders(0)) == sorted(orders(1)) == list(TEN) and orders(0) != orders(1)
    data = library.of(source, TEN)
    for shard in some(library, shards):
        expected = stream(orders, shards, shard)
        pipe = data.pipeline(num_shards=shards, shard_id=shard, random_shuffle=True)
        assert numbers_of(pipe, 12) == [next(expected) for _ in range(12)]
    expected = stream(orders, 3, 2, sticks=True)
    pipe = data.pipeline(num_shards=3, shard_id=2, shuffle_after_epoch=True)
    assert numbers_of(pipe, 12) == [next(expected) for _ in range(12)]


@case("shard_first", "each epoch goes through the files one after the other; 2 and 8 shards divide it", needs="shuffle")
def test_shuffled_shard_by_shard(source: Source, library: Library) -> None:
    data = library.of(source, TEN)
    alone = numbers_of(data.pipeline(shuffle="shard_first"), 20)
    for order in (alone[:10], alone[10:]):
        assert sorted(order) == list(TEN)
        files = [(number - TEN[0]) // IN_A_SHARD for number in order]
        assert sum(one != other for one, other in zip(files, files[1:])) == 2
    for shards in (2, 8) if isinstance(library.place, LocalPlace) else (2,):
        ranks = [data.pipeline(shuffle="shard_first", num_shards=shards, shard_id=shard) for shard in range(shards)]
        assert sorted(sum(map(epoch_of, ranks), [])) == list(TEN)
    check_resume(data, 3, shuffle="shard_first")


@case("bucket_by_length", "an epoch has the same samples, in an order that resuming and 2 shards keep")
def test_bucketed_by_length(source: Source, library: Library) -> None:
    data = library.of(source, TEN)
    for shards in (1, 2):
        ranks = [data.pipeline(random_shuffle=True, bucket_by_length=2, num_shards=shards, shard_id=shard)
                 for shard in range(shards)]
        assert sorted(sum(map(epoch_of, ranks), [])) == list(TEN)
    check_resume(data, 3, random_shuffle=True, bucket_by_length=2)


@case("delivered", "a sample's epoch, position, index and file are told, and it can be made again")
def test_delivered(source: Source, library: Library, orders: Orders) -> None:
    data = library.of(source, TEN)
    pipe = data.pipeline(random_shuffle=True)
    for batch in range(4):
        for number, sample in zip(batch_of(pipe), pipe.delivered(), strict=True):
            epoch, position = sample["epoch"], sample["position"]
            assert number == orders(epoch)[position] == TEN[sample["index"]]
            assert sample["object"] in data.files_of(number)
        (output,) = pipe.replay(position, epoch)
        assert number_of(output) == number


# --- names and duplicates --------------------------------------------------------------------------------------------


@case("duplicates", "the same content twice is two samples, and so is a name that is given twice")
def test_duplicates(source: Source, library: Library) -> None:
    data = library.of(source, (3, 5, 5))
    assert numbers_of(data.pipeline(), 6) == [3, 5, 5] * 2
    if source.repeats:
        data = library.make(source, {"a": (8,), "b": (9,)}, names=["b", "a", "b", "b"])
        pipe = data.pipeline()
        assert pipe.epoch_size("reader") == 4
        assert numbers_of(pipe, 8) == [9, 8, 9, 9] * 2


@case("odd names", "names of files and folders are what they are, without escapes: " + ", ".join(ODD_NAMES))
def test_odd_names(source: Source, library: Library) -> None:
    kinds = [kind for kind in ODD_NAMES if kind not in source.cannot_name]
    if isinstance(library.place, S3Place):
        kinds = [kind for kind in kinds if kind != "bytes"]  # keys are text
    names = sorted((ODD_NAMES[kind] for kind in kinds), key=lambda name: name.encode("utf-8", "surrogateescape"))
    parts = parts_of(source, range(len(names)), names)
    data = library.make(source, parts, " %41#?ü")
    pipe = data.pipeline(batch_size=len(names))
    given = batch_of(pipe)
    assert sorted(given) == list(range(len(names)))
    for number, sample in zip(given, pipe.delivered(), strict=True):
        assert sample["object"] in data.files_of(number)


WAYS: dict[str, Callable[[str], Any]] = {
    "bytes": os.fsencode, "Path": pathlib.Path, "relative": os.path.relpath,
    "URI": lambda path: "file://" + urllib.parse.quote(os.fsencode(path)),
}


@case("ways to name", "paths are " + ", ".join(WAYS) + " (of local files, with escapes) or text", places=("local",))
@pytest.mark.parametrize("way", WAYS)
def test_ways_to_name_files(source: Source, library: Library, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setattr(reader_sources, "fn", GivenAs(fn, WAYS[way]))
    names = [name for kind, name in ODD_NAMES.items() if kind not in source.cannot_name]
    pipe = library.make(source, parts_of(source, range(len(names)), names), " %41#?ü").pipeline()
    assert sorted(numbers_of(pipe, len(names))) == list(range(len(names)))


# --- resuming --------------------------------------------------------------------------------------------------------


def check_resume(data: DataSet, count: int, **arguments: Any) -> None:
    """What a pipeline gives goes on from the state behind each of its first batches."""
    whole = data.pipeline(**arguments)
    states, given = [], []
    for _ in range(count):
        states.append(json.dumps(whole.state_dict()))
        given.append(batch_of(whole))
    resumed = data.pipeline(**arguments)
    for place in reversed(range(count)):  # what has come last is forgotten
        resumed.load_state_dict(json.loads(states[place]))
        assert [batch_of(resumed) for _ in range(place, min(count, place + 3))] == given[place : place + 3], place


@case("resume", "a new pipeline goes on from the state behind any batch, in 1 and in 8 shards, shuffled or not")
@pytest.mark.parametrize("shards", [1, 8])
def test_resume_at_every_position(source: Source, library: Library, shards: int) -> None:
    data = library.of(source, TEN)
    count = 6 if shards == 1 or isinstance(library.place, LocalPlace) else 3
    for shard in some(library, shards):
        shuffles = shard % 3 != 1
        check_resume(data, count, num_shards=shards, shard_id=shard, random_shuffle=shuffles)


def in_one_file(source: Source, library: Library) -> DataSet:
    """TEN, all in one file where the source has files of many samples."""
    return library.make(source, {"000": TEN} if source.in_shards else parts_of(source, TEN))


@case("resume in a file", "and so it does amid a file that holds all samples", needs="shards")
def test_resume_within_one_file(source: Source, library: Library) -> None:
    data = in_one_file(source, library)
    check_resume(data, 4, random_shuffle=True)
    check_resume(data, 2, num_shards=3, shard_id=1)


@case("side by side", "two pipelines in the same files, by turns and at the same time, give what each gives alone")
def test_two_pipelines_side_by_side(source: Source, library: Library, orders: Orders) -> None:
    data = in_one_file(source, library)
    half = stream(lambda epoch: TEN, 2, 1, sticks=True)
    expected = [[*orders(0), *orders(1)], [next(half) for _ in range(20)]]

    def both() -> list[Pipeline]:
        return [data.pipeline(random_shuffle=True), data.pipeline(num_shards=2, shard_id=1, stick_to_shard=True)]

    turns = both()
    given = [[batch_of(pipe) for pipe in turns] for _ in range(20 // BATCH_SIZE)]
    assert [sum(batches, []) for batches in zip(*given, strict=True)] == expected
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda pipe: numbers_of(pipe, 20), both())) == expected


@case("other shards", "8 ranks' states go on in 3: each sample of the epoch comes once")
def test_resume_in_another_number_of_shards(source: Source, library: Library, orders: Orders) -> None:
    data = library.of(source, TEN)
    before = [data.pipeline(batch_size=1, random_shuffle=True, num_shards=8, shard_id=shard) for shard in range(8)]
    given = [number for pipe in before[:5] for number in batch_of(pipe)]
    states = json.loads(json.dumps([pipe.state_dict() for pipe in before]))
    left = len(TEN) - len(given)
    for shard in range(3):
        pipe = data.pipeline(batch_size=1, random_shuffle=True, num_shards=3, shard_id=shard)
        pipe.load_state_dict(states)
        given += numbers_of(pipe, left * (shard + 1) // 3 - left * shard // 3)
    assert sorted(given) == list(TEN)


# --- arguments and plans ---------------------------------------------------------------------------------------------


@case("arguments", "every argument that is not about the data itself is taken; those for compatibility change nothing")
def test_arguments(source: Source, library: Library, tmp_path: pathlib.Path, orders: Orders) -> None:
    ignored: dict[str, Any] = {
        "initial_fill": 3, "prefetch_queue_depth": 2, "tensor_init_bytes": 1, "read_ahead": True, "lazy_init": True,
        "skip_cached_images": True, "dont_use_mmap": True,
    }
    used: dict[str, Any] = {
        "random_shuffle": True, "num_shards": 3, "shard_id": 2, "stick_to_shard": True, "pad_last_batch": True,
        "shuffle_after_epoch": False, "shuffle_after_epoch_seed": 3, "index_file": str(tmp_path / "index"),
    }
    assert {*ignored, *used, "shuffle", "bucket_by_length"} == shared_arguments()
    data = library.of(source, TEN)
    assert numbers_of(data.pipeline(**used, **ignored), 12) == numbers_of(data.pipeline(**used), 12)
    pipe = data.pipeline(random_shuffle=True, index_file=used["index_file"], **ignored)
    assert numbers_of(pipe, 8) == list(orders(0)[:8])
    plain = data.pipeline(random_shuffle=True)
    plain.load_state_dict(pipe.state_dict())
    assert numbers_of(plain, 12) == [*orders(0)[8:], *orders(1)]


@case("plans", "the cache is told what is read when, and that it is over")
def test_plans(source: Source, library: Library) -> None:
    data = library.of(source, TEN)
    scheme = "s3" if isinstance(library.place, S3Place) else "file"
    with forebay.cache(memory_bytes=1 << 20, schemes=[scheme]) as cache:
        pipe = data.pipeline(random_shuffle=True)
        pipe.run()
        while cache.statistics()["plans"] != 1:
            os.sched_yield()
        pipe.close()
        while cache.statistics()["plans"] != 0:
            os.sched_yield()


@case("saved", "a pipeline that was written down and read again goes on where it was")
def test_saved_pipelines(source: Source, library: Library, orders: Orders) -> None:
    pipe = library.of(source, TEN).pipeline(random_shuffle=True)
    pipe.run()
    read = Pipeline.deserialize(pipe.serialize())
    read.load_state_dict(pipe.state_dict())
    assert numbers_of(read, 12) == [*orders(0)[4:], *orders(1)[:6]]


@case("debug", "pipelines with debug=True read the same", places=("local",))
def test_debug_mode(source: Source, library: Library, orders: Orders) -> None:
    pipe = library.of(source, TEN).pipeline(debug=True, random_shuffle=True)
    assert numbers_of(pipe, 20) == [*orders(0), *orders(1)]
    assert pipe.reader_meta("reader")["epoch_size"] == len(TEN)


if __name__ == "__main__" and "--write" in sys.argv:
    PAGE.write_text(whole_page())
