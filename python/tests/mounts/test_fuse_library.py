"""One tree by two doors: a mount and the library change it in turns, and both show what a plain folder would have."""

from __future__ import annotations

import base64
import collections.abc
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys

import pytest
from daemon_host import Host
from mounted import contents, mounted
from tree_changes import empty_source, outcome, some_change, some_path, what_is_at

STEPS = 200
LIBRARY = """
import base64, json, sys
from forebay.filesystem import ForebayFileSystem

files = ForebayFileSystem()

def show(name):
    facts = files.info(name)
    if facts["type"] == "directory":
        return sorted([each["name"].rpartition("/")[2], each["type"] == "directory"] for each in files.ls(name))
    return [facts["size"], base64.b64encode(files.cat_file(name)).decode()]

calls = {
    "show": show,
    "write": lambda name, content: files.pipe_file(name, base64.b64decode(content)),
    "remove": files.rm_file,
    "make": files.mkdir,
    "move": files.mv,
}
for line in sys.stdin:
    call, *arguments = json.loads(line)
    try:
        answer = calls[call](*arguments)
    except FileNotFoundError:
        answer = None
    print(json.dumps(answer), flush=True)
"""


class Library:
    """The library in a process of its own, which answers call by call."""

    def __init__(self, host: Host, source: str) -> None:
        self._source = source
        self._process = subprocess.Popen([sys.executable, "-c", LIBRARY], env=host.environment, text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, what: str, *arguments: str) -> object:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([what, *arguments]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def name(self, path: str) -> str:
        return f"{self._source}/{path}"

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(30) == 0


@contextlib.contextmanager
def library(host: Host, source: str) -> collections.abc.Iterator[Library]:
    made = Library(host, source)
    try:
        yield made
    finally:
        made.close()


def change_by_library(model: pathlib.Path, files: Library, draw: random.Random, has_folders: bool) -> None:
    """What the library can do where a bucket and a folder are the same: no object lies below another one. It makes no
    folders in a bucket, as fsspec has it."""
    name, other = some_path(draw), some_path(draw)
    content = draw.randbytes(draw.choice((0, 1, 4096, 70_000)))
    path, place = model / name, model / other
    how = draw.choice(("write", "write", "make", "remove", "move"))
    if how == "write" and path.parent.is_dir() and not path.is_dir():
        path.write_bytes(content)
        files.call("write", files.name(name), base64.b64encode(content).decode())
    elif how == "make" and has_folders and path.parent.is_dir() and not path.exists():
        path.mkdir()
        files.call("make", files.name(name))
    elif how == "remove" and path.is_file():
        path.unlink()
        files.call("remove", files.name(name))
    elif how == "move" and path.is_file() and place.parent.is_dir() and not place.is_dir():
        os.replace(path, place)
        files.call("move", files.name(name), files.name(other))


def as_the_library_says(seen: object) -> object:
    """What is at a path of the model; no errno, of which the library has but one."""
    if isinstance(seen, int):
        return None
    if isinstance(seen, tuple):
        size, content = seen
        return [size, base64.b64encode(content).decode()]
    return [list(each) for each in seen] if isinstance(seen, list) else seen


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("where", ["folder", "bucket", "daemon"])
def test_both_doors_show_what_either_has_changed(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path, request: pytest.FixtureRequest, seed: int, where: str
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    source = empty_source(where, host, tmp_path / "data", request)
    draw = random.Random(seed)
    with library(host, source) as files, mounted(host, mount_point, source, "--trust", "0s"):
        for step in range(STEPS):
            if draw.random() < 0.5:
                change_by_library(model, files, draw, where == "folder")
            else:
                change = some_change(draw)
                expected = outcome(lambda change=change: change(model))
                assert outcome(lambda change=change: change(mount_point)) == expected, step
            for _ in range(3):
                name = some_path(draw)
                expected = what_is_at(model / name)
                assert what_is_at(mount_point / name) == expected, (step, name)
                assert files.call("show", files.name(name)) == as_the_library_says(expected), (step, name)
        assert contents(mount_point) == contents(model)
