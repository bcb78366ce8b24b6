"""A folder and its mount, compared after each of many random changes; and a mount whose host's daemon goes."""

from __future__ import annotations

import collections.abc
import errno
import os
import pathlib
import random
import shutil
import signal

import pytest
import s3_server
from daemon_host import Host
from mounted import contents, errno_of, mounted

NAMES = ("a", "b", "c.jpg", "d e", "\u00fc")
STEPS = 400


def some_path(draw: random.Random) -> str:
    return "/".join(draw.choice(NAMES) for _ in range(draw.randint(1, 3)))


def change(root: pathlib.Path, draw: random.Random) -> None:
    """Makes, replaces, moves or removes a file or a folder, whatever was there."""
    path, other = root / some_path(draw), root / draw.choice(NAMES)
    how = draw.choice(("write", "write", "make", "move", "remove"))
    if how in ("write", "make") and (path.is_dir() or any(parent.is_file() for parent in path.parents)):
        how = "remove"
    if how == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(draw.randbytes(draw.choice((0, 1, 4096, 70_000))))
    elif how == "make" and not path.exists():
        path.mkdir(parents=True)
    elif how == "move" and path.exists() and not other.exists():
        path.rename(other)
    elif how == "remove" and path.is_dir():
        shutil.rmtree(path)
    elif how == "remove" and path.exists():
        path.unlink()


def what_is_at(path: pathlib.Path) -> object:
    """Bytes, names, or an errno."""
    try:
        if path.is_dir():
            return sorted((entry.name, entry.is_dir()) for entry in os.scandir(path))
        return path.stat().st_size, path.read_bytes()
    except OSError as error:
        return error.errno


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("whole", [False, True])
def test_a_mount_is_what_the_folder_is(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path, seed: int, whole: bool
) -> None:
    """Where nothing is trusted, each change is seen by the next call."""
    root = tmp_path / "model"
    root.mkdir()
    draw = random.Random(seed)
    assert host.run("mount", "/in/here", f"file://{root}").returncode == 0
    with mounted(host, mount_point, *([] if whole else [str(root)]), "--trust", "0s"):
        seen = mount_point / "in" / "here" if whole else mount_point
        for _ in range(STEPS):
            change(root, draw)
            for _ in range(3):
                name = some_path(draw)
                assert what_is_at(seen / name) == what_is_at(root / name), name
        assert contents(seen) == contents(root)


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


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("where", ["folder", "bucket", "daemon"])
def test_what_is_written_is_what_a_folder_would_have(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path, request: pytest.FixtureRequest, seed: int, where: str
) -> None:
    """A folder of the system is the model: each change has the same outcome there, and leaves the same."""
    (tmp_path / "model").mkdir()
    (tmp_path / "data").mkdir()
    source = str(tmp_path / "data")
    if where != "folder":
        if s3_server.program() is None:
            pytest.skip("versitygw is not installed")
        bucket: s3_server.S3Server = request.getfixturevalue("bucket")
        bucket.put("written")
        host.environment.update(bucket.environment())
        source = "s3://written"
    if where == "daemon":
        host.start()
    draw = random.Random(seed)
    with mounted(host, mount_point, source):
        for step in range(STEPS):
            change = some_change(draw)
            expected = outcome(lambda change=change: change(tmp_path / "model"))
            assert outcome(lambda change=change: change(mount_point)) == expected, step
            for _ in range(3):
                name = some_path(draw)
                assert what_is_at(mount_point / name) == what_is_at(tmp_path / "model" / name), (step, name)
        assert contents(mount_point) == contents(tmp_path / "model")
    with mounted(host, mount_point, source):
        assert contents(mount_point) == contents(tmp_path / "model")


def test_an_open_file_keeps_its_bytes(host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path) -> None:
    """Or has an error; it never shows those of another version."""
    (tmp_path / "data").mkdir()
    source = tmp_path / "data" / "a"
    source.write_bytes(b"1" * 300_000)
    with mounted(host, mount_point, str(tmp_path / "data"), "--trust", "0s"):
        with open(mount_point / "a", "rb", buffering=0) as file:
            assert file.read(10) == b"1" * 10
            (tmp_path / "data" / "new").write_bytes(b"2" * 400_000)
            (tmp_path / "data" / "new").rename(source)
            assert (mount_point / "a").read_bytes() == b"2" * 400_000
            assert os.pread(file.fileno(), 10, 0) == b"1" * 10
            assert errno_of(lambda: os.pread(file.fileno(), 10, 250_000)) == errno.ESTALE
            assert os.fstat(file.fileno()).st_size == 300_000


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
def test_a_daemon_that_is_killed_is_nobodys_error(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, mount_point: pathlib.Path
) -> None:
    host.environment.update(bucket.environment())
    bucket.put("photos/large", b"x" * (3 << 20))
    host.start()
    with mounted(host, mount_point, "s3://photos", "--trust", "1h"):
        with open(mount_point / "large", "rb", buffering=0) as file:
            assert file.read(10) == b"x" * 10
            host.end(signal.SIGKILL)
            assert os.pread(file.fileno(), 10, 2 << 20) == b"x" * 10
        assert {name: each for name, each in contents(mount_point).items() if name != "large"} == contents(photos)
        host.start()
        assert len(contents(mount_point)) == 38
