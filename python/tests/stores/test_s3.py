"""Readers over S3: the same results as over local files."""

from __future__ import annotations

import collections.abc
import pathlib
import shutil

import pytest
import s3_server
from remote_data import archive_of, assert_same, batches_of, from_files, from_shards

import forebay
from forebay import SampleError

pytestmark = pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, photos: pathlib.Path
) -> collections.abc.Iterator[s3_server.S3Server]:
    """A server with a bucket of the photographs and one of an archive of them."""
    started = s3_server.S3Server(tmp_path_factory.mktemp("s3"))
    started.put_folder("photos", photos)
    started.put("shards")
    started.put("shards/a b/0.tar", archive_of(photos).read_bytes())
    yield started
    started.stop()


@pytest.fixture(autouse=True)
def environment(server: s3_server.S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)


def test_folders_give_what_local_ones_give(photos: pathlib.Path) -> None:
    assert_same(batches_of(from_files("s3://photos")), batches_of(from_files(str(photos))))


def test_archives_give_what_local_ones_give(photos: pathlib.Path) -> None:
    local = batches_of(from_shards([str(archive_of(photos))]))
    assert_same(batches_of(from_shards(["s3://shards/a b/0.tar"])), local)


@pytest.mark.parametrize("name", ["s3://shards/a b/*.tar", "s3://shards/[a]*/{0..0}.tar"])
def test_names_may_be_patterns(name: str, photos: pathlib.Path) -> None:
    assert_same(batches_of(from_shards([name])), batches_of(from_shards([str(archive_of(photos))])))


def test_indexes_may_lie_in_buckets(photos: pathlib.Path, server: s3_server.S3Server) -> None:
    server.put("indexes")
    local = batches_of(from_files(str(photos)))
    for _ in range(2):  # made, then opened
        assert_same(batches_of(from_files("s3://photos/", index_file="s3://indexes/photos.index")), local)


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="s3://photos/none"):
        from_files("s3://photos/none").run()
    with pytest.raises((FileNotFoundError, SampleError), match="s3://no-such-bucket/0.tar"):
        from_shards(["s3://no-such-bucket/0.tar"]).run()
    with pytest.raises(FileNotFoundError, match=r"s3://shards/none-\*.tar' matches no file"):
        from_shards(["s3://shards/none-*.tar"]).run()


def test_keys_that_are_refused_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "quite/wrong")
    with pytest.raises(PermissionError, match="s3://photos/") as caught:
        from_files("s3://photos").run()
    assert "quite/wrong" not in str(caught.value)


def test_what_is_cached_is_served_when_the_server_is_gone(
    photos: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s3").mkdir()
    own = s3_server.S3Server(tmp_path / "s3")
    own.put_folder("photos", photos)
    for name, value in own.environment().items():
        monkeypatch.setenv(name, value)
    local = from_files(str(photos))
    with forebay.cache(tmp_path / "cache", 64 << 20, least_free_bytes=0) as cache:
        pipe = from_files("s3://photos")
        first = batches_of(pipe)
        own.stop()
        assert_same(first, batches_of(local))
        assert_same(batches_of(pipe), batches_of(local))  # two epochs more
        assert cache.statistics()["upstream_bytes"] == sum(path.stat().st_size for path in photos.rglob("*.jpg"))
        pipe.close()


def test_files_that_something_else_has_laid_into_the_servers_folder(
    photos: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s3").mkdir()
    own = s3_server.S3Server(tmp_path / "s3")
    own.put("laid")
    shutil.copytree(photos, tmp_path / "s3" / "laid", dirs_exist_ok=True)
    for name, value in own.environment().items():
        monkeypatch.setenv(name, value)
    try:
        local = batches_of(from_files(str(photos)))
        assert_same(batches_of(from_files("s3://laid")), local)
        with forebay.cache(tmp_path / "cache", 64 << 20, least_free_bytes=0) as cache:
            assert_same(batches_of(from_files("s3://laid")), local)
            assert cache.statistics()["entries"] == 0  # nothing tells such files apart for certain
    finally:
        own.stop()
