"""fsspec's `mv` where a store cannot rename: the same moves as those of `forebay mv`, for all that fsspec lets one name."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

pytest.importorskip("fsspec")
import fsspec  # noqa: E402

import forebay.filesystem  # noqa: E402, F401

FILES = {"a": b"1", "sub/b": b"22", "sub/deep/c": b"333"}


class Moved:
    """A file system, a local folder and a store of objects without folders."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.fs = fsspec.filesystem("forebay")
        self.folder = folder
        self.objects = f"mem://moves-{folder.name}"

    def put(self, root: str, files: dict[str, bytes] = FILES) -> str:
        for name, content in files.items():
            path = f"{root}/{name}"
            self.fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            self.fs.pipe_file(path, content)
        return root

    def held(self, root: str) -> dict[str, bytes]:
        return {name.removeprefix(f"{root}/"): self.fs.cat_file(name) for name in self.fs.find(root)}


@pytest.fixture
def moved(tmp_path: pathlib.Path) -> Any:
    return Moved(tmp_path)


def test_a_folder_moves_to_objects_and_back(moved: Moved) -> None:
    moved.put(f"{moved.folder}/data")
    (moved.folder / "data/empty").mkdir()
    with pytest.raises(IsADirectoryError):
        moved.fs.mv(f"{moved.folder}/data", f"{moved.objects}/there")
    moved.fs.mv(f"{moved.folder}/data", f"{moved.objects}/there", recursive=True)
    assert not (moved.folder / "data").exists()
    assert moved.held(f"{moved.objects}/there") == FILES
    moved.fs.mv(f"{moved.objects}/there", f"{moved.folder}/back", recursive=True)
    assert moved.held(f"{moved.folder}/back") == FILES
    assert moved.held(moved.objects) == {}


def test_a_folder_that_is_there_takes_what_moves(moved: Moved) -> None:
    moved.put(f"{moved.objects}/one")
    moved.put(f"{moved.objects}/two", {"x": b"x"})
    moved.fs.mv(f"{moved.objects}/one", f"{moved.objects}/two", recursive=True)
    assert moved.held(f"{moved.objects}/two") == {"x": b"x"} | {f"one/{name}": FILES[name] for name in FILES}


def test_a_list_moves_into_a_folder_or_name_by_name(moved: Moved) -> None:
    moved.put(moved.objects, {"a": b"a", "b": b"b", "sub/a": b"other"})
    with pytest.raises(ValueError, match="one name"):
        moved.fs.mv([f"{moved.objects}/a", f"{moved.objects}/sub/a"], f"{moved.objects}/to")
    with pytest.raises(ValueError, match="one name"):
        moved.fs.mv([f"{moved.objects}/a", f"{moved.objects}/b"], [f"{moved.objects}/c"] * 2)
    moved.fs.mv([f"{moved.objects}/a", f"{moved.objects}/b"], f"{moved.objects}/to")
    moved.fs.mv([f"{moved.objects}/to/a", f"{moved.objects}/to/b"], [f"{moved.objects}/x", f"{moved.objects}/y"])
    assert moved.held(moved.objects) == {"x": b"a", "y": b"b", "sub/a": b"other"}


def test_a_pattern_moves_what_it_names(moved: Moved) -> None:
    moved.put(f"{moved.objects}/d", {"1.jpg": b"1", "2.jpg": b"2", "3.txt": b"3", "sub/4.jpg": b"4"})
    moved.fs.mv(f"{moved.objects}/d/*.jpg", f"{moved.objects}/e")
    assert moved.held(moved.objects) == {"e/1.jpg": b"1", "e/2.jpg": b"2", "d/3.txt": b"3", "d/sub/4.jpg": b"4"}
    moved.fs.mv(f"{moved.objects}/d/**", f"{moved.objects}/f", recursive=True)
    assert moved.held(f"{moved.objects}/f") == {"3.txt": b"3", "sub/4.jpg": b"4"}
    moved.fs.mv(f"{moved.objects}/e/1.jpg", [f"{moved.objects}/[1].jpg"])
    moved.fs.mv(f"{moved.objects}/[1].jpg", f"{moved.objects}/h")  # a name, since there is such an object
    assert moved.held(f"{moved.objects}/h") == {f"{moved.objects}/h": b"1"}
    with pytest.raises(IsADirectoryError):
        moved.fs.mv(f"{moved.objects}/f*", f"{moved.objects}/g")
    with pytest.raises(FileNotFoundError):
        moved.fs.mv(f"{moved.objects}/none*", f"{moved.objects}/g")
    with pytest.raises(NotImplementedError):
        moved.fs.mv(f"{moved.objects}/f", f"{moved.objects}/g", recursive=True, maxdepth=1)
