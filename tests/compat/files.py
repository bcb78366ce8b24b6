"""Folders and files for cases. `remove_all` takes them away again, as `runner.py` does at its end."""

from __future__ import annotations

import functools
import pathlib
import shutil
import tempfile


@functools.cache
def _root() -> pathlib.Path:
    return pathlib.Path(tempfile.mkdtemp(prefix="forebay-compat-"))


def new_folder() -> pathlib.Path:
    return pathlib.Path(tempfile.mkdtemp(dir=_root()))


def remove_all() -> None:
    shutil.rmtree(_root(), ignore_errors=True)


def few_files(folders: int = 2, count: int = 7) -> str:
    """A folder of small files, each of a size of its own, over as many classes."""
    root = new_folder()
    for number in range(count):
        folder = root / str(number % folders)
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.jpg").write_bytes(bytes([number] * (number + 1)))
    return str(root)


@functools.cache
def one_file() -> str:
    path = new_folder() / "one"
    path.write_bytes(b"one file\n")
    return str(path)
