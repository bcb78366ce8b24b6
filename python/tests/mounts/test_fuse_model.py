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
from tree_changes import NAMES, empty_source, outcome, some_change, some_path, what_is_at

STEPS = 400


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


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("where", ["folder", "bucket", "daemon"])
def test_what_is_written_is_what_a_folder_would_have(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path, request: pytest.FixtureRequest, seed: int, where: str
) -> None:
    """A folder of the system is the model: each change has the same outcome there, and leaves the same."""
    (tmp_path / "model").mkdir()
    source = empty_source(where, host, tmp_path / "data", request)
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
