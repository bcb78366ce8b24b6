"""Readers over HDFS: the same results as over local files."""

from __future__ import annotations

import collections.abc
import pathlib

import hdfs_server
import pytest
from remote_data import archive_of, assert_same, batches_of, from_files, from_shards

from forebay import SampleError

# Hadoop takes long to start; the C++ tests start it for every change.
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(hdfs_server.program() is None, reason="hadoop is not installed"),
]


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, photos: pathlib.Path
) -> collections.abc.Iterator[hdfs_server.HdfsServer]:
    """A cluster with a folder of the photographs and an archive of them."""
    started = hdfs_server.HdfsServer(tmp_path_factory.mktemp("hdfs"))
    started.put_folder("/photos", photos)
    started.put("/shards/a b/0.tar", archive_of(photos).read_bytes())
    yield started
    started.stop()


@pytest.fixture(autouse=True)
def root(server: hdfs_server.HdfsServer, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HADOOP_USER_NAME", hdfs_server.USER)
    monkeypatch.setenv("no_proxy", "localhost,127.0.0.1")
    return f"webhdfs://{server.authority}"


def test_folders_give_what_local_ones_give(photos: pathlib.Path, root: str) -> None:
    assert_same(batches_of(from_files(f"{root}/photos")), batches_of(from_files(str(photos))))


def test_archives_give_what_local_ones_give(photos: pathlib.Path, root: str) -> None:
    local = batches_of(from_shards([str(archive_of(photos))]))
    assert_same(batches_of(from_shards([f"{root}/shards/a b/0.tar"])), local)


def test_indexes_may_lie_in_hdfs(photos: pathlib.Path, root: str) -> None:
    local = batches_of(from_files(str(photos)))
    for _ in range(2):  # made, then opened
        assert_same(batches_of(from_files(f"{root}/photos/", index_file=f"{root}/indexes/photos.index")), local)


def test_what_is_not_there_is_named(root: str) -> None:
    with pytest.raises(FileNotFoundError, match=f"{root}/none"):
        from_files(f"{root}/none").run()
    with pytest.raises((FileNotFoundError, SampleError), match=f"{root}/none/0.tar"):
        from_shards([f"{root}/none/0.tar"]).run()
