"""Hugging Face datasets through forebay.filesystem: the namespace, local and mounted from a bucket, gives what files give."""

from __future__ import annotations

import collections.abc
import json
import pathlib
import shutil
import subprocess
import sys
import sysconfig
from typing import Any

import numpy as np
import pytest

datasets = pytest.importorskip("datasets")
fsspec = pytest.importorskip("fsspec")

from forebay import filesystem  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python" / "tests" / "support"))
import s3_server  # noqa: E402

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
ROWS = 100
SHARDS = 3


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Tables in Parquet and in JSON, and pictures in folders of their classes."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    images = pytest.importorskip("PIL.Image")
    root = tmp_path_factory.mktemp("datasets")
    for shard in range(SHARDS):
        numbers = range(shard * ROWS, (shard + 1) * ROWS)
        rows = [{"number": number, "text": f"row {number}"} for number in numbers]
        parquet.write_table(arrow.Table.from_pylist(rows), root / f"{shard}.parquet", row_group_size=30)
        (root / f"{shard}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for number in range(6):
        folder = root / "pictures" / f"class{number % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(number).integers(0, 255, (12, 10, 3), dtype=np.uint8)
        images.fromarray(pixels).save(folder / f"{number}.png")
    return root


@pytest.fixture(scope="module")
def bucket(
    tmp_path_factory: pytest.TempPathFactory, data: pathlib.Path
) -> collections.abc.Iterator[s3_server.S3Server | None]:
    if s3_server.program() is None:
        yield None
        return
    started = s3_server.S3Server(tmp_path_factory.mktemp("s3"))
    started.put_folder("tables", data)
    yield started
    started.stop()


@pytest.fixture(params=["local", "mounted"])
def root(
    request: pytest.FixtureRequest, data: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """The data set's URL in the namespace: a folder, or a bucket that is mounted."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hf")
    if request.param == "local":
        return f"forebay://{data}"
    server = request.getfixturevalue("bucket")
    if server is None:
        pytest.skip("versitygw is not installed")
    if PROGRAM is None:
        pytest.skip("the program is not installed beside Python")
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    place = f"/datasets-{tmp_path.name}"
    subprocess.run([PROGRAM, "mount", place, "s3://tables"], check=True)
    return f"forebay://{place}"


def load(kind: str, tmp_path: pathlib.Path, **arguments: Any) -> Any:
    return datasets.load_dataset(kind, split="train", cache_dir=str(tmp_path / "hf"), **arguments)


@pytest.mark.parametrize(("kind", "suffix"), [("parquet", "parquet"), ("json", "jsonl")])
def test_tables(kind: str, suffix: str, root: str, tmp_path: pathlib.Path) -> None:
    files = [f"{root}/{shard}.{suffix}" for shard in range(SHARDS)]
    rows = load(kind, tmp_path, data_files=files)
    assert rows["number"][:] == list(range(SHARDS * ROWS))
    assert rows[ROWS]["text"] == f"row {ROWS}"
    streamed = load(kind, tmp_path, data_files=files, streaming=True)
    assert [row["number"] for row in streamed] == list(range(SHARDS * ROWS))


def test_patterns_name_files(root: str, tmp_path: pathlib.Path) -> None:
    rows = load("parquet", tmp_path, data_files=f"{root}/*.parquet")
    assert sorted(rows["number"][:]) == list(range(SHARDS * ROWS))


def test_folders_of_pictures(root: str, data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    near = load("imagefolder", tmp_path, data_dir=str(data / "pictures"))
    far = load("imagefolder", tmp_path, data_files=f"{root}/pictures/**", drop_labels=False)
    assert len(far) == len(near) == 6
    assert far.features["label"].names == ["class0", "class1"]

    def pictures_of(rows: Any) -> list[tuple[int, bytes]]:
        return sorted((row["label"], np.asarray(row["image"]).tobytes()) for row in rows)

    assert pictures_of(far) == pictures_of(near)


def test_a_data_set_is_saved_and_loaded(tmp_path: pathlib.Path) -> None:
    rows = datasets.Dataset.from_dict({"number": list(range(50))})
    place = f"forebay://{tmp_path}/saved"
    rows.save_to_disk(place)
    assert datasets.load_from_disk(place)["number"][:] == list(range(50))


def test_rows_are_written_into_a_bucket(root: str, tmp_path: pathlib.Path) -> None:
    rows = datasets.Dataset.from_dict({"number": list(range(50))})
    rows.to_parquet(f"{root}/written.parquet")
    assert load("parquet", tmp_path, data_files=f"{root}/written.parquet")["number"][:] == list(range(50))
    filesystem.ForebayFileSystem().rm(f"{root}/written.parquet")
