"""Names of objects that are no names of files: nothing is written outside of the folder that the user named."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from typing import Any

import pytest
from odd_bucket import OddBucket, odd_bucket

fsspec = pytest.importorskip("fsspec")

from forebay import filesystem  # noqa: E402

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python")
OBJECTS = {
    "up/../../evil": b"evil",
    "twice/slash//x": b"one",
    "twice/slash/x": b"two",
    "marked/": b"",
    "marked/a": b"in a",
    "marked/empty/": b"",
    "marked/sub/": b"",
    "marked/sub/b": b"in b",
}


@pytest.fixture(scope="module")
def bucket() -> Iterator[OddBucket]:
    with odd_bucket(OBJECTS) as server:
        yield server


@pytest.fixture
def home(bucket: OddBucket, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    for name, value in {**bucket.environment(), "FOREBAY_HOME": str(tmp_path / "home")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    (tmp_path / "there").mkdir()
    return tmp_path


def forebay(*words: Any) -> subprocess.CompletedProcess[str]:
    assert PROGRAM is not None
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def files_in(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("folder", "name"), [("up", "up/../../evil"), ("twice", "twice/slash//x")])
def test_a_copy_to_files_refuses_them_by_name(home: pathlib.Path, folder: str, name: str) -> None:
    refused = forebay("cp", "-r", f"s3://odd/{folder}", home / "there/inner")
    assert refused.returncode == 1 and f"s3://odd/{name}" in refused.stderr, refused
    assert not (home / "there/evil").exists() and not (home / "evil").exists()
    assert b"one" not in files_in(home / "there").values()


def test_a_mount_does_not_show_them(home: pathlib.Path) -> None:
    assert forebay("mount", "/m", "s3://odd").returncode == 0
    assert forebay("ls", "-R", "/m/up").stdout == ""
    assert forebay("ls", "-R", "/m/twice").stdout == "slash/x\n"
    assert forebay("ls", "/m/twice/slash").stdout == "x\n"
    assert forebay("stat", "/m/twice/slash").returncode == 0


def test_objects_that_mark_folders_are_none_themselves(home: pathlib.Path) -> None:
    assert forebay("ls", "s3://odd/marked").stdout == "a\nempty/\nsub/\n"
    assert forebay("ls", "-R", "s3://odd/marked").stdout == "a\nsub/b\n"
    assert forebay("find", "s3://odd/marked").stdout == "s3://odd/marked/a\ns3://odd/marked/sub/b\n"
    copied = forebay("cp", "-r", "s3://odd/marked", home / "there/")
    assert copied.returncode == 0, copied.stderr
    assert files_in(home / "there/marked") == {"a": b"in a", "sub/b": b"in b"}
    assert (home / "there/marked/empty").is_dir()


def test_fsspec_refuses_and_leaves_out_the_same(home: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = filesystem.ForebayFileSystem(skip_instance_cache=True)
    with pytest.raises(ValueError, match="s3://odd/up/..: no file can have this name"):
        fs.get("s3://odd/up", str(home / "there/inner"), recursive=True)
    assert not (home / "there/evil").exists() and not (home / "evil").exists()
    fs.get("s3://odd/twice", str(home / "there/twice"), recursive=True)
    assert files_in(home / "there/twice") == {"slash/x": b"two"}
    assert fs.find("s3://odd/marked") == ["s3://odd/marked/a", "s3://odd/marked/sub/b"]
    names = [entry["name"] for entry in fs.ls("s3://odd/marked")]
    assert names == ["s3://odd/marked/a", "s3://odd/marked/empty", "s3://odd/marked/sub"]
    assert all("" not in files for _, _, files in fs.walk("s3://odd/marked"))
    fs.get("s3://odd/marked", str(home / "there/marked"), recursive=True)
    assert files_in(home / "there/marked") == {"a": b"in a", "sub/b": b"in b"}
    monkeypatch.chdir(home / "there")
    fs.get("s3://odd/marked/a", "../beside")
    assert (home / "beside").read_bytes() == b"in a"


def test_the_root_of_fsspec_is_that_of_the_machine() -> None:
    fs = filesystem.ForebayFileSystem(skip_instance_cache=True)
    assert "/tmp" in fs.ls("/", detail=False)
    assert "/tmp" in fs.glob("/tm*")
    _, folders, _ = next(fs.walk("/", maxdepth=1))
    assert "tmp" in folders


def test_touch_and_mkdir_of_fsspec(home: pathlib.Path) -> None:
    fs = filesystem.ForebayFileSystem(skip_instance_cache=True)
    path = home / "there/file"
    fs.touch(str(path), truncate=False)
    assert path.read_bytes() == b""
    path.write_bytes(b"content")
    fs.touch(str(path), truncate=False)
    assert path.read_bytes() == b"content"
    fs.touch(str(path))
    assert path.read_bytes() == b""
    with pytest.raises(FileNotFoundError, match="no folder"):
        fs.mkdir(str(home / "none/deep"), create_parents=False)
    assert not (home / "none").exists()
    fs.mkdir(str(home / "there/new"), create_parents=False)
    assert (home / "there/new").is_dir()
