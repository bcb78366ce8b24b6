"""Shards that are cut before they are first indexed: nothing is lost without a word."""

from __future__ import annotations

import io
import pathlib
import tarfile
from typing import Any

import numpy as np
import pytest

from forebay import SampleError, fn, pipeline_def


def write_shard(path: pathlib.Path, first: int, samples: int) -> bytes:
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for number in range(first, first + samples):
            for extension, content in (("bin", bytes([number]) * 600), ("cls", bytes([number]))):
                member = tarfile.TarInfo(f"{number}.{extension}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return path.read_bytes()


@pytest.fixture(params=["header", "content", "between members", "between samples"])
def shards(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> list[pathlib.Path]:
    """Two of four samples each; the first is cut in or before its third sample."""
    paths = [tmp_path / "0.tar", tmp_path / "1.tar"]
    whole = write_shard(paths[0], 0, 4)
    write_shard(paths[1], 4, 4)
    sample = 512 + 1024 + 512 + 512
    size = {"header": 100, "content": 700, "between members": 1536, "between samples": 0}[request.param]
    paths[0].write_bytes(whole[: 2 * sample + size])
    return paths


@pipeline_def(num_threads=2, seed=5, batch_size=5)
def read(paths: list[pathlib.Path]) -> Any:
    data, label = fn.readers.webdataset(paths=[str(path) for path in paths], ext=["bin", "cls"], name="reader")
    return data, label


def labels_of(pipe: Any) -> list[int]:
    data, labels = pipe.run()
    assert all(np.all(data.at(place) == labels.at(place)[0]) for place in range(len(labels)))
    return [int(labels.at(place)[0]) for place in range(len(labels))]


def test_raise_names_shard_and_offset(shards: list[pathlib.Path]) -> None:
    pipe = read(shards, batch_size=1)
    assert pipe.epoch_size("reader") == 7
    assert [labels_of(pipe), labels_of(pipe)] == [[0], [1]]
    with pytest.raises(SampleError) as caught:
        pipe.run()
    assert caught.value.object == str(shards[0])
    assert caught.value.position == 2
    assert 2 * 2560 <= int(caught.value.offset) <= shards[0].stat().st_size
    assert [labels_of(pipe) for _ in range(4)] == [[4], [5], [6], [7]]


def test_skip_leaves_a_hole(shards: list[pathlib.Path]) -> None:
    pipe = read(shards, on_error="skip")
    assert labels_of(pipe) == [0, 1, 4, 5]
    assert labels_of(pipe) == [6, 7, 0, 1]
    assert [(error["object"], error["position"]) for error in pipe.errors()] == [(str(shards[0]), 2)] * 2


def test_replace_fills_it(shards: list[pathlib.Path]) -> None:
    pipe = read(shards, on_error="replace")
    first = labels_of(pipe)
    assert [first[0], first[1], first[3], first[4]] == [0, 1, 4, 5]
    assert first[2] in {0, 1, 4, 5, 6, 7}
    assert pipe.errors()[0]["action"].startswith("replaced by index")
