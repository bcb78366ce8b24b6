"""Pipelines that read through a cache."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import forebay
from forebay import fn, pipeline_def

BATCH = 8


@pipeline_def(batch_size=BATCH, num_threads=2, seed=1)
def files(root: pathlib.Path) -> tuple[forebay.DataNode, ...]:
    return fn.readers.file(file_root=str(root), random_shuffle=True, name="reader")


def epoch(pipeline: forebay.Pipeline) -> list[bytes]:
    count = pipeline.reader_meta("reader")["epoch_size"]
    samples: list[bytes] = []
    while len(samples) < count:
        contents, _ = pipeline.run()
        samples += [bytes(np.asarray(contents[i])) for i in range(len(contents))]
    return samples[:count]


def bytes_below(root: pathlib.Path) -> list[bytes]:
    return [path.read_bytes() for path in root.rglob("*.jpg")]


def test_the_second_epoch_reads_nothing_upstream(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    expected = sorted(bytes_below(photos))
    with forebay.cache(tmp_path / "cache", 64 << 20, least_free_bytes=0, schemes=["file"]) as cache:
        pipeline = files(photos)
        pipeline.build()
        assert sorted(epoch(pipeline)) == expected
        size = sum(map(len, expected))
        assert cache.statistics()["upstream_bytes"] == size
        for _ in range(2):
            epoch(pipeline)
        assert cache.statistics()["upstream_bytes"] == size
        assert cache.statistics()["entries"] == len(expected)


def test_another_process_finds_it_again(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    expected = sorted(bytes_below(photos))
    for run in range(2):
        with forebay.cache(tmp_path / "cache", 64 << 20, least_free_bytes=0, schemes=["file"]) as cache:
            pipeline = files(photos)
            pipeline.build()
            assert sorted(epoch(pipeline)) == expected
            assert (cache.statistics()["upstream_reads"] == 0) == (run == 1)
            pipeline.close()
            del pipeline


def test_a_directory_belongs_to_one(tmp_path: pathlib.Path) -> None:
    with forebay.cache(tmp_path / "cache"):
        with pytest.raises(RuntimeError, match="another process"):
            forebay.cache(tmp_path / "cache")
    forebay.cache(tmp_path / "cache").close()


def test_a_cache_lies_somewhere() -> None:
    with pytest.raises(ValueError, match="memory_bytes"):
        forebay.cache()


def test_a_closed_cache_says_so() -> None:
    cache = forebay.cache(memory_bytes=1 << 20)
    cache.close()
    cache.close()
    with pytest.raises(RuntimeError, match="closed"):
        cache.statistics()
