"""Index files: what becomes of one that cannot be written, and of data that changed after it was indexed."""

from __future__ import annotations

import errno
import io
import pathlib
import subprocess
import sys
import tarfile
from typing import Any

import pytest

from forebay import SampleError, fn, pipeline_def


@pipeline_def(num_threads=2, batch_size=2)
def read(paths: list[pathlib.Path], index_file: str = "") -> Any:
    return fn.readers.webdataset(paths=[str(path) for path in paths], ext=["bin"], index_file=index_file)


def write_shard(path: pathlib.Path, contents: list[bytes]) -> None:
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for number, content in enumerate(contents):
            member = tarfile.TarInfo(f"{number}.bin")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


def contents_of(pipe: Any) -> list[bytes]:
    (data,) = pipe.run()
    return [bytes(data.at(place)) for place in range(len(data))]


NO_ROOM = """
import resource, sys
from forebay import fn, pipeline_def

@pipeline_def(num_threads=1, batch_size=1)
def read(path, index_file):
    return fn.readers.webdataset(paths=[path], ext=["bin"], index_file=index_file)

resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    read(*sys.argv[1:]).run()
except OSError as error:
    print(error.errno, error)
"""


def test_an_index_without_room_is_an_os_error(tmp_path: pathlib.Path) -> None:
    shard, index = tmp_path / "a.tar", tmp_path / "side.index"
    write_shard(shard, [b"one", b"two"])
    done = subprocess.run(
        [sys.executable, "-c", NO_ROOM, str(shard), str(index)], capture_output=True, text=True, timeout=600, check=True
    )
    number, text = done.stdout.split(maxsplit=1)
    assert int(number) == errno.EFBIG
    assert str(index) in text
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar"]


def test_a_replaced_shard_is_an_error_and_then_indexed_anew(tmp_path: pathlib.Path) -> None:
    shard, index = tmp_path / "a.tar", str(tmp_path / "side.index")
    write_shard(shard, [b"one", b"two", b"six", b"ten"])
    pipe = read([shard], index, prefetch_queue_depth=1)
    assert contents_of(pipe) == [b"one", b"two"]
    write_shard(tmp_path / "new.tar", [b"ten", b"six", b"two", b"one"])
    (tmp_path / "new.tar").rename(shard)
    with pytest.raises(SampleError, match="side.index") as caught:
        for _ in range(4):
            assert set(contents_of(pipe)) <= {b"one", b"two", b"six", b"ten"}
    assert caught.value.object == str(shard)
    assert contents_of(read([shard], index)) == [b"ten", b"six"]


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_a_missing_shard_follows_on_error(tmp_path: pathlib.Path, on_error: str) -> None:
    shard, gone = tmp_path / "a.tar", tmp_path / "gone.tar"
    write_shard(shard, [b"one"])
    pipe = read([shard, gone], on_error=on_error)
    assert contents_of(pipe) == ([b"one"] if on_error == "skip" else [b"one", b"one"])
    assert {error["object"] for error in pipe.errors()} == {str(gone)}
