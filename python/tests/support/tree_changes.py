"""Random changes of a tree of files, for tests that compare two trees after each of them."""

from __future__ import annotations

import collections.abc
import os
import pathlib
import random

import pytest
import s3_server
from daemon_host import Host

NAMES = ("a", "b", "c.jpg", "d e", "\u00fc")


def some_path(draw: random.Random) -> str:
    return "/".join(draw.choice(NAMES) for _ in range(draw.randint(1, 3)))


def what_is_at(path: pathlib.Path) -> object:
    """Bytes, names, or an errno."""
    try:
        if path.is_dir():
            return sorted((entry.name, entry.is_dir()) for entry in os.scandir(path))
        return path.stat().st_size, path.read_bytes()
    except OSError as error:
        return error.errno


def outcome(call: collections.abc.Callable[[], object]) -> object:
    """What a call says, or its errno."""
    try:
        return call()
    except OSError as error:
        return error.errno


def overwrite(path: pathlib.Path, offset: int, content: bytes) -> int:
    with open(path, "r+b", buffering=0) as file:
        file.seek(offset)
        return file.write(content)


def append(path: pathlib.Path, content: bytes, sync: bool) -> int:
    with open(path, "ab", buffering=0) as file:
        written = file.write(content[:10])
        if sync:
            os.fsync(file.fileno())
        return written + file.write(content[10:])


def some_change(draw: random.Random) -> collections.abc.Callable[[pathlib.Path], object]:
    """What a program may do to a tree, drawn anew for each; it says what has come of it."""
    name, other = some_path(draw), some_path(draw)
    content = draw.randbytes(draw.choice((0, 1, 4096, 70_000)))
    offset = draw.randrange(100_000)
    sync = draw.random() < 0.3
    return draw.choice([
        lambda root: (root / name).write_bytes(content),
        lambda root: (root / name).write_bytes(content),
        lambda root: (root / name).open("xb").close(),
        lambda root: append(root / name, content, sync),
        lambda root: overwrite(root / name, offset, content),
        lambda root: os.truncate(root / name, offset),
        lambda root: (root / name).mkdir(),
        lambda root: (root / name).mkdir(),
        lambda root: os.rmdir(root / name),
        lambda root: os.unlink(root / name),
        lambda root: os.rename(root / name, root / other),
        lambda root: os.rename(root / name, root / other),
    ])


def empty_source(where: str, host: Host, folder: pathlib.Path, request: pytest.FixtureRequest) -> str:
    """What can be mounted: a folder, a bucket, or a bucket beside the host's daemon, which is started."""
    if where == "folder":
        folder.mkdir()
        return str(folder)
    if s3_server.program() is None:
        pytest.skip("versitygw is not installed")
    bucket: s3_server.S3Server = request.getfixturevalue("bucket")
    bucket.put("empty")
    host.environment.update(bucket.environment())
    if where == "daemon":
        host.start()
    return "s3://empty"
