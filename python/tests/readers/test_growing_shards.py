"""Batches from remote shards, read in the order in which they lie, before all of their samples are known."""

from __future__ import annotations

import collections.abc
import io
import pathlib
import tarfile
from typing import Any

import numpy as np
import pytest
import web_server
from gated_proxy import GatedProxy, gated_proxy

import forebay.tfrecord as tfrec
from forebay import fn, pipeline_def
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.numpy import NumpyIterator
from tfrecords import example_of, field, record_of

pytestmark = pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed")

SHARDS = 4
EACH = 5
BATCH_SIZE = 3
KNOWN = 2 * EACH  # samples of the shards before the one that is held back
TEXTS = [f"{number:02}" for number in range(SHARDS * EACH)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("shards")
    for shard in range(SHARDS):
        numbers = TEXTS[shard * EACH : (shard + 1) * EACH]
        with tarfile.open(root / f"{shard}.tar", "w") as tar:
            for text in numbers:
                member = tarfile.TarInfo(f"{text}.txt")
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text.encode()))
        records = b"".join(record_of(example_of("id", field(3, field(1, bytes([int(text)]))))) for text in numbers)
        (root / f"{shard}.tfrecord").write_bytes(records)
    return root


@pytest.fixture
def proxy(data: pathlib.Path, tmp_path: pathlib.Path) -> collections.abc.Iterator[GatedProxy]:
    """The third shard is held back."""
    server = web_server.WebServer(data, tmp_path)
    try:
        with gated_proxy(server.port, "2.tar") as gated:
            yield gated
            gated.open()
    finally:
        server.stop()


@pipeline_def(num_threads=2, batch_size=BATCH_SIZE)
def from_tars(url: str, **options: Any) -> Any:
    paths = [f"{url}/{shard}.tar" for shard in range(SHARDS)]
    return fn.readers.webdataset(paths=paths, ext=["txt"], name="reader", **options)


def texts_of(pipe: Any, batches: int) -> list[str]:
    return [np.array(sample).tobytes().decode() for _ in range(batches) for sample in pipe.run()[0]]


def test_batches_come_before_all_samples_are_known(proxy: GatedProxy) -> None:
    pipe = from_tars(proxy.url)
    early = KNOWN // BATCH_SIZE
    texts = texts_of(pipe, early)
    assert not proxy.is_open
    proxy.open()
    texts += texts_of(pipe, 12)
    assert texts == [TEXTS[k % len(TEXTS)] for k in range(len(texts))]
    assert pipe.epoch_size("reader") == len(TEXTS)


@pytest.mark.parametrize("policy", LastBatchPolicy)
def test_an_iterator_does_not_ask_for_the_size_before_it_needs_it(proxy: GatedProxy, policy: LastBatchPolicy) -> None:
    iterator = NumpyIterator(from_tars(proxy.url), ["text"], reader_name="reader", last_batch_policy=policy,
                             auto_reset=True)
    texts = [text for _ in range(KNOWN // BATCH_SIZE) for text in texts_in(next(iterator)[0])]
    assert not proxy.is_open
    proxy.open()
    texts += [text for batch in iterator for text in texts_in(batch[0])]
    whole = {LastBatchPolicy.DROP: TEXTS[:18], LastBatchPolicy.PARTIAL: TEXTS, LastBatchPolicy.FILL: [*TEXTS, TEXTS[0]]}
    assert texts == whole[policy]
    assert len(iterator) == (6 if policy is LastBatchPolicy.DROP else 7)


def texts_in(batch: dict[str, Any]) -> list[str]:
    return [np.array(sample).tobytes().decode() for sample in batch["text"]]


def seed_that_reads_last(data: pathlib.Path, shard: int) -> int:
    for seed in range(100):
        pipe = from_tars(str(data), shuffle="shard_first", seed=seed)
        if int(texts_of(pipe, -(-len(TEXTS) // BATCH_SIZE))[len(TEXTS) - 1]) // EACH == shard:
            return seed
    raise AssertionError("no order ends with that shard")


@pytest.mark.parametrize("ranks", [1, 2])
def test_shard_by_shard_batches_come_before_all_samples_are_known(
    proxy: GatedProxy, data: pathlib.Path, ranks: int
) -> None:
    seed = seed_that_reads_last(data, 2)
    readers = [{"shuffle": "shard_first", "num_shards": ranks, "shard_id": rank, "seed": seed} for rank in range(ranks)]
    iterators = [NumpyIterator(from_tars(proxy.url, **reader), ["text"], reader_name="reader",
                               last_batch_policy=LastBatchPolicy.PARTIAL) for reader in readers]
    texts = [texts_in(next(iterator)[0]) for iterator in iterators]
    assert not proxy.is_open
    proxy.open()
    for rank, iterator in enumerate(iterators):
        texts[rank] += [text for batch in iterator for text in texts_in(batch[0])]
        expected = texts_of(from_tars(str(data), **readers[rank]), 7)
        assert texts[rank] == expected[: len(TEXTS) // ranks]
    assert sorted(text for of_rank in texts for text in of_rank) == TEXTS


def test_what_has_to_be_known_first_is_waited_for(proxy: GatedProxy) -> None:
    proxy.open()
    shuffled = from_tars(proxy.url, random_shuffle=True)
    assert sorted(texts_of(shuffled, 20)[: len(TEXTS)]) == TEXTS
    shard = from_tars(proxy.url, num_shards=2, shard_id=1)
    assert texts_of(shard, 3) == TEXTS[10:19]
    skipping = from_tars(proxy.url, on_error="skip")
    assert texts_of(skipping, 2) == TEXTS[:6]


@pipeline_def(num_threads=2, batch_size=BATCH_SIZE)
def from_records(url: str, **options: Any) -> Any:
    paths = [f"{url}/{shard}.tfrecord" for shard in range(SHARDS)]
    features = {"id": tfrec.FixedLenFeature([1], tfrec.int64, -1)}
    return fn.readers.tfrecord(path=paths, features=features, name="reader", **options)["id"]


@pytest.mark.parametrize("shuffle", [None, "shard_first"])
def test_records_come_before_all_are_known(data: pathlib.Path, tmp_path: pathlib.Path, shuffle: str | None) -> None:
    reader = {} if shuffle is None else {"shuffle": shuffle, "seed": seed_that_reads_last(data, 2)}
    server = web_server.WebServer(data, tmp_path)
    try:
        with gated_proxy(server.port, "2.tfrecord") as gated:
            pipe = from_records(gated.url, **reader)
            numbers = [int(np.array(sample)[0]) for _ in range(3) for sample in pipe.run()[0]]
            assert not gated.is_open
            gated.open()
            assert numbers == [int(text) for text in texts_of(from_tars(str(data), **reader), 3)]
            assert pipe.epoch_size("reader") == len(TEXTS)
    finally:
        server.stop()
