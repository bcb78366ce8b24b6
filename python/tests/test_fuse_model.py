"""A folder and its mount, compared after each of many random changes; and a mount whose host's daemon goes."""

from __future__ import annotations

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
