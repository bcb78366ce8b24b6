"""Folders and files for cases, gone when the process ends."""

from __future__ import annotations

import atexit
import functools
import pathlib
import shutil
import tempfile

_ROOT = pathlib.Path(tempfile.mkdtemp(prefix="forebay-compat-"))
atexit.register(shutil.rmtree, _ROOT, ignore_errors=True)


def new_folder() -> pathlib.Path:
    return pathlib.Path(tempfile.mkdtemp(dir=_ROOT))


def remove_all() -> None:
    shutil.rmtree(_ROOT, ignore_errors=True)


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
