"""Readers over HTTP: the same results as over local files, and errors that say what is wrong."""

from __future__ import annotations

import collections.abc
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

import pytest
import web_server
from remote_data import archive_of, assert_same, batches_of, from_files, from_shards
from stalling_server import stalling_server

from forebay import SampleError

pytestmark = pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed")

INDEXED = "autoindex on; autoindex_format json;"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, photos: pathlib.Path) -> pathlib.Path:
    """A folder with the photographs and an archive of them."""
    folder = tmp_path_factory.mktemp("web")
    shutil.copytree(photos, folder / "photos")
    (folder / "shards").mkdir()
    shutil.copy(archive_of(photos), folder / "shards" / "a b+0.tar")
    return folder


@pytest.fixture
def server(
    root: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> collections.abc.Iterator[web_server.WebServer]:
    monkeypatch.setenv("no_proxy", web_server.HOST)
    started = web_server.WebServer(root, tmp_path, INDEXED)
    yield started
    started.stop()


def names_below(folder: pathlib.Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.jpg"))


def test_folders_give_what_local_ones_give(server: web_server.WebServer, photos: pathlib.Path) -> None:
    assert_same(batches_of(from_files(server.url("photos"))), batches_of(from_files(str(photos))))


def test_lists_of_urls_give_what_files_give(server: web_server.WebServer, photos: pathlib.Path) -> None:
    names = names_below(photos)
    far = from_files(files=[server.url(f"photos/{name}") for name in names])
    near = from_files(files=[str(photos / name) for name in names])
    assert_same(batches_of(far), batches_of(near))


def test_archives_give_what_local_ones_give(server: web_server.WebServer, photos: pathlib.Path) -> None:
    local = batches_of(from_shards([str(archive_of(photos))]))
    for name in ["shards/a b+0.tar", "shards/" + urllib.parse.quote("a b+0.tar")]:
        assert_same(batches_of(from_shards([server.url(name)])), local)


def test_a_forked_child_reads_too(server: web_server.WebServer, photos: pathlib.Path) -> None:
    expected = batches_of(from_files(server.url("photos")))
    child = os.fork()
    if child == 0:
        try:
            assert_same(batches_of(from_files(server.url("photos"))), expected)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_what_is_not_there_is_named(server: web_server.WebServer) -> None:
    with pytest.raises(SampleError, match="photos/none.jpg"):
        from_files(files=[server.url("photos/none.jpg")]).run()
    with pytest.raises((FileNotFoundError, SampleError), match="shards/none.tar"):
        from_shards([server.url("shards/none.tar")]).run()


def test_errors_hold_no_secrets(server: web_server.WebServer, root: pathlib.Path) -> None:
    (root / "broken.jpg").write_bytes(b"this is no picture")
    place = server.url().replace("http://", "http://user:opensesame@")
    for name in ["photos/none.jpg", "broken.jpg"]:
        with pytest.raises(SampleError, match=name) as caught:
            from_files(files=[f"{place}{name}?signature=opensesame"]).run()
        assert "opensesame" not in str(caught.value)
    with pytest.raises((FileNotFoundError, SampleError), match="none.tar") as missing:
        from_shards([f"{place}none.tar?signature=opensesame"]).run()
    assert "opensesame" not in str(missing.value)


def test_folders_without_an_index_say_what_to_do(
    root: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", web_server.HOST)
    server = web_server.WebServer(root, tmp_path)
    try:
        with pytest.raises((OSError, RuntimeError, NotImplementedError), match="name the files"):
            from_files(server.url("photos")).run()
    finally:
        server.stop()


def test_an_archive_that_changes_is_not_mixed(
    server: web_server.WebServer, root: pathlib.Path, photos: pathlib.Path
) -> None:
    shard = root / "shards" / "changing.tar"
    shutil.copy(archive_of(photos), shard)
    os.utime(shard, (1_000_000_000, 1_000_000_000))
    pipe = from_shards([server.url("shards/changing.tar")], prefetch_queue_depth=1)
    pipe.run()
    os.utime(shard, (1_000_000_001, 1_000_000_001))  # another entity tag
    with pytest.raises(SampleError, match="changing.tar"):
        batches_of(pipe)


# Leaves its pipeline as it is while the server owes it bytes: what the last owner of a session gives up then, it gives
# up on a thread that knows no Python.
LEAVER = """
import os, sys
from remote_data import from_files
pipeline = from_files(files=[sys.argv[1]] * 5)
pipeline.schedule_run()
print("under way", flush=True)
sys.stdin.readline()
"""


def test_a_process_may_end_while_bytes_are_on_their_way() -> None:
    tests = str(pathlib.Path(__file__).parents[1] / "support")
    paths = [path for path in (tests, os.environ.get("PYTHONPATH")) if path]
    with stalling_server() as server:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "no_proxy": web_server.HOST}
        leaver = subprocess.Popen([sys.executable, "-P", "-c", LEAVER, server.uri], env=environment,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        server.was_asked.wait()
        _, errors = leaver.communicate("\n")
        assert leaver.returncode == 0, errors
