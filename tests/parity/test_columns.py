"""Columns of Parquet files and MDS shards: the same values as pyarrow and MosaicML's StreamingDataset read."""

from __future__ import annotations

import io
import json
import os
import pathlib
import subprocess
import zipfile
from typing import Any, Iterator

import mds_cases
import numpy as np
import parquet_cases
import pytest
from recordings import is_thorough

import forebay
import forebay.fn

HERE = pathlib.Path(__file__).parent
PEERS = HERE.parent.parent / ".peers"


def unpacked(archive: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    with zipfile.ZipFile(archive) as files:
        files.extractall(folder)
    return folder


def recorded_live(script: str, variable: str, environment: str, folder: pathlib.Path) -> pathlib.Path:
    """The files as the other library writes them now; skipped without it, and in runs that are not thorough."""
    if not is_thorough():
        pytest.skip("FOREBAY_THOROUGH is not set")
    python = os.environ.get(variable) or str(PEERS / environment / "bin" / "python")
    module = {"record_parquet.py": "pyarrow", "record_mds.py": "streaming"}[script]
    has_it = os.path.exists(python) and subprocess.run(
        [python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0
    if not has_it:
        pytest.skip(f"no Python with {module}: set {variable}")
    archive = folder / "live.zip"
    subprocess.run([python, str(HERE / script), str(archive)], check=True, capture_output=True)
    return unpacked(archive, folder / "live")


@pytest.fixture(scope="module", params=["recorded", "live"])
def parquet(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("parquet")
    if request.param == "recorded":
        return unpacked(HERE / "parquet.zip", folder)
    return recorded_live("record_parquet.py", "FOREBAY_ARROW_PYTHON", "interop-current", folder)


@pytest.fixture(scope="module", params=["recorded", "live"])
def mds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("mds")
    if request.param == "recorded":
        return unpacked(HERE / "mds.zip", folder)
    return recorded_live("record_mds.py", "FOREBAY_STREAMING_PYTHON", "s3", folder)


def samples_of(nodes: Any, count: int, batch_size: int = 7) -> Iterator[list[Any]]:
    """The samples of one epoch."""
    pipe = forebay.Pipeline(batch_size=batch_size, num_threads=2, device_id=None)
    with pipe:
        outputs = nodes()
        pipe.set_outputs(*(outputs if isinstance(outputs, (list, tuple)) else [outputs]))
    pipe.build()
    done = 0
    while done < count:
        batch = pipe.run()
        for i in range(min(len(batch[0]), count - done)):
            yield [out.at(i) for out in batch]
        done += len(batch[0])


def plain(arrays: list[Any]) -> list[list[Any]]:
    return [[list(a.shape), a.dtype.name, a.tobytes().hex()] for a in map(np.asarray, arrays)]


@pytest.mark.parametrize("name", parquet_cases.CASES)
def test_parquet_equals_pyarrow(name: str, parquet: pathlib.Path) -> None:
    expected = json.loads((parquet / "expected.json").read_text())["results"][name]
    file, columns, fill = parquet_cases.CASES[name]

    def nodes() -> Any:
        return forebay.fn.readers.parquet(path=str(parquet / file), columns=columns, fill=fill, name="reader")

    assert [plain(sample) for sample in samples_of(nodes, len(expected))] == expected


def _picture(encoded: Any) -> Any:
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(np.asarray(encoded).tobytes())))


@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize("name", mds_cases.SETS)
def test_mds_equals_streaming_dataset(name: str, verify: bool, mds: pathlib.Path) -> None:
    expected = json.loads((mds / "expected.json").read_text())["results"]
    columns = list(mds_cases.COLUMNS)

    def nodes() -> Any:
        return forebay.fn.readers.mds(path=str(mds / name), columns=columns, verify_hashes=verify, name="reader")

    rows = list(samples_of(nodes, len(expected), batch_size=1))  # a column of any type has no batches
    assert len(rows) == len(expected)
    for arrays, row in zip(rows, expected):
        for column, array, value in zip(columns, arrays, row):
            if column == "jpeg":  # decoders differ by a little
                other = np.frombuffer(bytes.fromhex(value[2]), "u1").reshape(value[0])
                assert np.abs(_picture(array).astype(int) - other).max() <= 3
                continue
            found = _picture(array) if column == "png" else np.asarray(array)
            assert plain([found]) == [value], column
