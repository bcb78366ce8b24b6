"""readers.webdataset: keys, classes, extensions that are not there, and names that stand for several archives."""

from __future__ import annotations

import io
import pathlib
import tarfile
from typing import Any

import numpy as np
import pytest

from forebay import fn, pipeline_def, types

KEYS = ["plain", "a folder/of.dots/k", "ünïcode", "long" * 40]


@pytest.fixture
def shards(tmp_path: pathlib.Path) -> pathlib.Path:
    for number, form in enumerate([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]):
        with tarfile.open(tmp_path / f"s-{number:02}.tar", "w", format=form) as tar:
            for place, key in enumerate(KEYS):
                for extension, content in {"txt": b"text", "cls": str(1000 * number + place).encode()}.items():
                    member = tarfile.TarInfo(f"{key}.{extension}")
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))
    return tmp_path


def read(paths: Any, ext: list[str], **options: Any) -> list[list[Any]]:
    @pipeline_def(batch_size=2 * len(KEYS), num_threads=2)
    def samples() -> Any:
        read = fn.readers.webdataset(paths=paths, ext=ext, **options)
        return tuple(read) if isinstance(read, list) else read

    return [[np.asarray(output.at(place)) for place in range(len(output))] for output in samples().run()]


def test_keys_and_classes(shards: pathlib.Path) -> None:
    dtypes = [types.UINT8, types.INT64]
    keys, classes = read([str(shards / "s-{00..01}.tar")], ["__key__", "cls"], dtypes=dtypes)
    assert [bytes(key).decode() for key in keys] == KEYS + KEYS
    assert [number.tolist() for number in classes] == [[0], [1], [2], [3], [1000], [1001], [1002], [1003]]


def test_wildcards(shards: pathlib.Path) -> None:
    (classes,) = read(str(shards / "s-*.tar"), [".cls"])
    assert [bytes(number) for number in classes][3:5] == [b"3", b"1000"]
    with pytest.raises(Exception, match=r"t-\*\.tar' matches no file"):
        read(str(shards / "t-*.tar"), ["cls"])


def test_an_extension_that_is_nowhere(shards: pathlib.Path) -> None:
    with pytest.raises(Exception, match="no sample has 'jpg', which `ext` names; .* are 'cls', 'txt'"):
        read(str(shards / "s-00.tar"), ["cls", "jpg"])
    with pytest.raises(Exception, match="the sample 'plain' .* lacks 'jpg'; it has 'txt', 'cls'"):
        read(str(shards / "s-00.tar"), ["cls", "jpg"], missing_component_behavior="error")
