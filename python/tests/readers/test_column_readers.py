"""Readers of MDS shards and Parquet files: order, resuming, shards, broken samples, indexes."""

from __future__ import annotations

import json
import pathlib
import shutil
import struct
import subprocess
import sysconfig
import zipfile
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import SampleError, fn, pipeline_def

PARITY = pathlib.Path(__file__).parents[3] / "tests" / "parity"
PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
SAMPLES = 60


def write_mds(folder: pathlib.Path, numbers: list[int], in_a_shard: int = 8) -> None:
    """Shards with the columns `label`, of 64 bits, and `text`."""
    folder.mkdir(exist_ok=True)
    shards = []
    for first in range(0, len(numbers), in_a_shard):
        part = numbers[first : first + in_a_shard]
        bodies = [struct.pack("<Iq", len(str(n)), n) + str(n).encode() for n in part]
        ends = np.cumsum([4 * (len(part) + 2), *map(len, bodies)]).astype("<u4")
        content = struct.pack("<I", len(part)) + ends.tobytes() + b"".join(bodies)
        name = f"shard.{len(shards):05}.mds"
        (folder / name).write_bytes(content)
        shards.append({
            "format": "mds", "version": 2, "samples": len(part), "compression": None, "hashes": [], "zip_data": None,
            "column_names": ["label", "text"], "column_encodings": ["int", "str"], "column_sizes": [8, None],
            "raw_data": {"basename": name, "bytes": len(content), "hashes": {}},
        })
    (folder / "index.json").write_text(json.dumps({"version": 2, "shards": shards}))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("columns")
    write_mds(root / "mds", list(range(SAMPLES)))
    with zipfile.ZipFile(PARITY / "parquet.zip") as files:
        for name in ("pages1.0True.parquet", "pages2.0False.parquet", "zstd.parquet"):
            files.extract(name, root)
    return root


def _mds(root: pathlib.Path, **arguments: Any) -> Any:
    return fn.readers.mds(path=str(root / "mds"), columns=["label"], name="reader", **arguments)


def _pages(root: pathlib.Path, **arguments: Any) -> Any:
    return fn.readers.parquet(path=str(root / "pages1.0True.parquet"), columns=["number"], name="reader", **arguments)


def _groups(root: pathlib.Path, **arguments: Any) -> Any:
    return fn.readers.parquet(path=str(root / "zstd.parquet"), columns=["number"], name="reader", **arguments)


def _tight(root: pathlib.Path, **arguments: Any) -> Any:
    return fn.readers.parquet(
        path=str(root / "pages2.0False.parquet"), columns=["number"], block_bytes=4000, name="reader", **arguments
    )


READERS = [_mds, _pages, _groups, _tight]


def numbers_of(pipe: Any, batches: int) -> list[int]:
    """Numbers of samples: in Parquet, `number` is their square, positive and negative in turns."""
    numbers = []
    for _ in range(batches):
        (batch,) = pipe.run()
        numbers += [int(np.asarray(batch.at(place))) for place in range(len(batch))]
    return numbers


def expected_of(reader: Any) -> list[int]:
    return list(range(SAMPLES)) if reader is _mds else [i * i * (-1) ** i for i in range(SAMPLES)]


@pytest.mark.parametrize("reader", READERS)
def test_every_epoch_is_a_permutation_that_can_be_resumed(reader: Any, data: pathlib.Path) -> None:
    @pipeline_def(batch_size=6, num_threads=3, seed=5)
    def shuffled() -> Any:
        return reader(data, random_shuffle=True)

    pipe = shuffled()
    begin = numbers_of(pipe, 4)
    state = pipe.state_dict()
    rest = numbers_of(pipe, 6)
    assert sorted(begin + rest) == sorted(expected_of(reader))
    assert begin + rest != expected_of(reader)
    again = shuffled()
    again.load_state_dict(state)
    assert numbers_of(again, 6) == rest


@pytest.mark.parametrize("reader", READERS)
def test_the_shards_make_up_the_data_set(reader: Any, data: pathlib.Path) -> None:
    @pipeline_def(batch_size=5, num_threads=2)
    def shard(shard_id: int) -> Any:
        return reader(data, num_shards=3, shard_id=shard_id)

    found = [number for shard_id in range(3) for number in numbers_of(shard(shard_id), 4)]
    assert found == expected_of(reader)


def test_the_order_is_that_of_any_reader(data: pathlib.Path) -> None:
    @pipeline_def(batch_size=10, num_threads=2, seed=11)
    def shuffled(reader: Any) -> Any:
        return reader(data, random_shuffle=True)

    of_mds = numbers_of(shuffled(_mds), 6)
    assert [i * i * (-1) ** i for i in of_mds] == numbers_of(shuffled(_groups), 6)


def test_a_broken_shard_is_skipped(tmp_path: pathlib.Path) -> None:
    write_mds(tmp_path / "mds", list(range(24)))
    path = tmp_path / "mds" / "shard.00001.mds"
    path.write_bytes(path.read_bytes()[:-1])

    @pipeline_def(batch_size=4, num_threads=2)
    def labels(**options: Any) -> Any:
        return _mds(tmp_path)

    pipe = labels()
    numbers_of(pipe, 2)
    with pytest.raises(SampleError, match=r"shard\.00001\.mds") as caught:
        pipe.run()
    assert caught.value.index == 8
    assert numbers_of(labels(on_error="skip"), 5) == [*range(8), *range(16, 24), 0, 1, 2]


def test_a_null_is_a_broken_sample(tmp_path: pathlib.Path) -> None:
    with zipfile.ZipFile(PARITY / "parquet.zip") as files:
        files.extract("nulls.parquet", tmp_path)

    @pipeline_def(batch_size=4, num_threads=2)
    def column(fill: float | None = None, **options: Any) -> Any:
        return fn.readers.parquet(path=str(tmp_path / "nulls.parquet"), columns=["number"], fill=fill, name="reader")

    with pytest.raises(SampleError, match="column 'number', row 1: it is null; give `fill`"):
        column().run()
    assert numbers_of(column(on_error="skip"), 1) == [0, 2, 3]
    assert numbers_of(column(fill=-1), 1) == [0, -1, 2, 3]


def test_mistakes_are_told_when_the_pipeline_is_built(data: pathlib.Path) -> None:
    def build(make: Any) -> None:
        pipe = pipeline_def(batch_size=2, num_threads=1)(make)()
        pipe.build()
        pipe.run()

    with pytest.raises(RuntimeError, match="no column 'numbers'; there are number, small"):
        build(lambda: fn.readers.parquet(path=str(data / "zstd.parquet"), columns=["numbers"]))
    with pytest.raises(RuntimeError, match="no column 'x'; it has label, text"):
        build(lambda: fn.readers.mds(path=str(data / "mds"), columns=["x"]))
    with pytest.raises(RuntimeError, match="columns"):
        build(lambda: fn.readers.mds(path=str(data / "mds"), columns=[]))
    with pytest.raises(FileNotFoundError, match="index.json"):
        build(lambda: fn.readers.mds(path=str(data / "nothing"), columns=["label"]))


def test_indexes_are_made_by_the_program(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    if PROGRAM is None:
        pytest.skip("the program is not installed beside Python")
    for source, reader in ((data / "mds" / "index.json", _mds), (data / "zstd.parquet", _groups)):
        index = tmp_path / f"{source.name}.index"
        done = subprocess.run([PROGRAM, "index", str(source), "--out", str(index), "--json"], capture_output=True,
                              text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["samples"] == SAMPLES
        before = index.stat().st_mtime_ns

        @pipeline_def(batch_size=20, num_threads=2)
        def indexed() -> Any:
            return reader(data, index_file=str(index))

        assert numbers_of(indexed(), 3) == expected_of(reader)
        assert index.stat().st_mtime_ns == before


def test_a_sample_is_replayed(data: pathlib.Path) -> None:
    @pipeline_def(batch_size=6, num_threads=2, seed=3)
    def shuffled() -> Any:
        return _pages(data, random_shuffle=True)

    pipe = shuffled()
    numbers = numbers_of(pipe, 2)
    (again,) = pipe.replay(7, epoch=0)
    assert int(np.asarray(again)) == numbers[7]


def test_the_operators_have_pages() -> None:
    assert forebay.fn.readers.parquet.__doc__
    assert forebay.ops.readers.MDS is not None
