"""`forebay mv` between stores: the real program, a real S3 server, and what may go wrong on the way."""

from __future__ import annotations

import collections.abc
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
from typing import Any

import pytest
import s3_server
from gated_proxy import gated_proxy

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
pytestmark = [
    pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed"),
    pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python"),
]


class Places:
    """A folder, a bucket, and the program with a namespace of its own in front of both."""

    def __init__(self, folder: pathlib.Path, server: s3_server.S3Server) -> None:
        self.folder = folder
        self.server = server
        self.bucket = folder / "served" / "bucket"
        self.bucket.mkdir()
        self.environment = {**os.environ, **server.environment(), "FOREBAY_HOME": str(folder / "home"),
                            "FOREBAY_MOUNTS": "", "FOREBAY_DAEMON": "off"}

    def run(self, *arguments: Any) -> subprocess.CompletedProcess[str]:
        assert PROGRAM is not None
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, check=False, text=True,
                              env=self.environment, cwd=self.folder)

    def out(self, *arguments: Any) -> str:
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refusal(self, *arguments: Any) -> str:
        done = self.run(*arguments)
        assert done.returncode == 1 and "forebay: " in done.stderr, done
        return done.stderr

    def put(self, name: str, content: str = "") -> pathlib.Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content or name)
        return path

    def names(self, folder: str) -> dict[str, str]:
        root = self.folder / folder
        return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.fixture
def places(tmp_path: pathlib.Path) -> collections.abc.Iterator[Places]:
    (tmp_path / "served").mkdir()
    server = s3_server.S3Server(tmp_path / "served")
    yield Places(tmp_path, server)
    server.stop()


FILES = {"a": "1", "sub/b": "22", "sub/deep/c": "333"}


def test_a_folder_moves_to_a_bucket_and_back(places: Places) -> None:
    for name, content in FILES.items():
        places.put(f"data/{name}", content)
    (places.folder / "data/empty").mkdir()
    assert '"objects":3' in places.out("mv", "data", "s3://bucket/there", "--json").replace(" ", "")
    assert not (places.folder / "data").exists()
    assert places.names("served/bucket/there") == FILES
    places.out("mv", "s3://bucket/there", "back")
    assert places.names("back") == FILES
    assert places.out("ls", "-R", "s3://bucket/") == ""


def test_an_object_moves_within_a_bucket_and_into_a_folder(places: Places) -> None:
    places.put("one", "content")
    places.out("mv", "one", "s3://bucket/k")
    places.out("mv", "s3://bucket/k", "s3://bucket/other")
    assert places.names("served/bucket") == {"other": "content"}
    places.put("kept/x")
    places.out("mv", "s3://bucket/other", "kept/")
    assert places.names("kept") == {"x": "kept/x", "other": "content"}


def test_nothing_is_replaced_or_merged(places: Places) -> None:
    places.put("a", "new"), places.put("d/a", "new")
    places.put("served/bucket/a", "old"), places.put("served/bucket/t/d/old", "old")
    assert "already exists" in places.refusal("mv", "a", "s3://bucket/a")
    assert "not empty" in places.refusal("mv", "d", "s3://bucket/t")
    assert (places.folder / "a").exists() and places.names("d") == {"a": "new"}


def test_a_name_for_the_same_place_is_known(places: Places) -> None:
    places.put("served/bucket/d/a", "content"), places.put("files/a", "content")
    places.out("mount", "/m", "s3://bucket")
    places.out("mount", "/f", places.folder / "files")
    assert "one object" in places.refusal("mv", "/m/d/a", "s3://bucket/d/a")
    assert "into itself" in places.refusal("mv", "/m/d", "s3://bucket/d/new/")
    assert "into itself" in places.refusal("mv", "s3://bucket/d", "/m/d/new/")
    assert places.names("served/bucket") == {"d/a": "content"}
    assert places.names("files") == {"a": "content"}


def test_what_may_not_be_removed_is_not_copied(places: Places) -> None:
    places.put("served/bucket/d/a", "content")
    for number, option in enumerate(("--read-only", "--immutable")):
        places.out("mount", f"/m{number}", "s3://bucket", option)
        assert "cannot be moved" in places.refusal("mv", f"/m{number}/d", "copy")
    assert not (places.folder / "copy").exists() and places.names("served/bucket") == {"d/a": "content"}


def test_links_to_folders_stay_where_they_are(places: Places) -> None:
    places.put("elsewhere/x", "content"), places.put("d/a", "content")
    (places.folder / "d/link").symlink_to(places.folder / "elsewhere")
    (places.folder / "whole").symlink_to(places.folder / "elsewhere")
    for name in ("d", "whole"):
        assert "link" in places.refusal("mv", name, "s3://bucket/d")
    assert places.names("elsewhere") == {"x": "content"} and places.names("served/bucket") == {}


def test_a_file_moves_to_another_disk(places: Places) -> None:
    shared = pathlib.Path("/dev/shm")
    if not shared.is_dir() or shared.stat().st_dev == places.folder.stat().st_dev:
        pytest.skip("no second disk")
    other = shared / f"forebay-moves-{os.getpid()}"
    places.put("d/a", "content"), places.put("d/sub/b", "more")
    try:
        places.out("mv", "d", other)
        assert (other / "a").read_text() == "content" and (other / "sub/b").read_text() == "more"
        assert not (places.folder / "d").exists()
    finally:
        shutil.rmtree(other, ignore_errors=True)


def test_a_move_that_fails_removes_nothing(places: Places) -> None:
    places.put("d/a", "content"), places.put("d/b", "content")
    assert places.refusal("mv", "d", "s3://no-such-bucket/d")
    assert places.names("d") == {"a": "content", "b": "content"}


def test_what_changes_meanwhile_stays(places: Places) -> None:
    """An object is replaced, and one comes, after they were copied or listed and before anything is removed."""
    for name in ("a", "b"):
        places.put(f"served/bucket/d/{name}", "old")
    with gated_proxy(places.server.port, "/d/b") as proxy:
        environment = {**places.environment, "AWS_ENDPOINT_URL": proxy.url}
        assert PROGRAM is not None
        moving = subprocess.Popen([PROGRAM, "mv", "s3://bucket/d", "copy"], env=environment, cwd=places.folder,
                                  stderr=subprocess.PIPE, text=True)
        proxy.wait_until_held({"/bucket/d/b"})
        while not (places.folder / "copy/a").exists():
            assert moving.poll() is None, moving.communicate()
        places.server.put("bucket/d/a", b"newer")
        places.server.put("bucket/d/c", b"came")
        proxy.open()
        _, errors = moving.communicate(timeout=250)
    assert moving.returncode == 1 and "stays there" in errors
    assert places.names("served/bucket/d") == {"a": "newer", "c": "came"}
    assert places.names("copy") == {"a": "old", "b": "old"}


BY_FSSPEC = """
import sys, fsspec, forebay.filesystem
try:
    fsspec.filesystem("forebay").mv(*sys.argv[1:])
except OSError as error:
    print(type(error).__name__)
"""


def test_by_fsspec_an_object_takes_the_place_of_another_of_its_bucket(places: Places) -> None:
    def move(*names: str) -> str:
        done = subprocess.run([sys.executable, "-P", "-c", BY_FSSPEC, *names], capture_output=True, check=True, text=True,
                              env=places.environment, cwd=places.folder)
        return done.stdout.strip()

    places.put("served/bucket/new", "new"), places.put("served/bucket/old", "old")
    places.out("mount", "/m", "s3://bucket")
    assert move("s3://bucket/new", "/m/new") == "FileExistsError"
    assert move("s3://bucket/new", "s3://bucket/new") == ""
    assert places.names("served/bucket") == {"new": "new", "old": "old"}
    assert move("s3://bucket/new", "s3://bucket/old") == ""
    assert places.names("served/bucket") == {"old": "new"}
    kept = places.put("kept", "kept")
    assert move(str(kept), "s3://bucket/old") == move("s3://bucket/old", str(kept)) == "FileExistsError"
    assert places.names("served/bucket") == {"old": "new"} and kept.read_text() == "kept"
