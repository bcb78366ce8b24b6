"""Call by call what a mount does: as a file system of Linux where an object can, and by which errno it says no."""

from __future__ import annotations

import collections.abc
import ctypes
import errno
import fcntl
import mmap
import os
import pathlib
import socket
import stat

import pytest
import s3_server
from daemon_host import Host
from mounted import mounted

MIB = 1 << 20
RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2
SEEK_DATA, SEEK_HOLE = 3, 4

Call = collections.abc.Callable[[pathlib.Path], object]


def rename2(old: pathlib.Path, new: pathlib.Path, flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, os.fsencode(old), -100, os.fsencode(new), flags) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def opened(path: pathlib.Path, flags: int, *calls: collections.abc.Callable[[int], object]) -> list[object]:
    """What calls of a descriptor say; it is closed in any case, and an error of that counts."""
    descriptor = os.open(path, flags, 0o644)
    try:
        return [call(descriptor) for call in calls]
    finally:
        os.close(descriptor)


def bound(path: pathlib.Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def lock(descriptor: int) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


W = os.O_WRONLY
RW = os.O_RDWR
C = os.O_CREAT

# In each root are: file ("0123456789"), empty (a file), folder (with a file in it), bare (an empty folder).
WORKS: dict[str, Call] = {
    "create": lambda root: opened(root / "new", W | C, lambda file: os.write(file, b"x")),
    "create exclusively": lambda root: opened(root / "new", W | C | os.O_EXCL),
    "create by mknod": lambda root: os.mknod(root / "new", stat.S_IFREG | 0o644),
    "truncate by open": lambda root: opened(root / "file", W | os.O_TRUNC),
    "truncate by name": lambda root: os.truncate(root / "file", 3),
    "truncate by descriptor": lambda root: opened(root / "file", RW, lambda file: os.ftruncate(file, 3)),
    "make longer": lambda root: os.truncate(root / "file", 1000),
    "overwrite": lambda root: opened(root / "file", W, lambda file: os.pwrite(file, b"xy", 3)),
    "write behind a gap": lambda root: opened(root / "file", W, lambda file: os.pwrite(file, b"xy", 5000)),
    "append": lambda root: opened(root / "file", W | os.O_APPEND, lambda file: os.write(file, b"xy")),
    "read what was written": lambda root: opened(
        root / "file", RW, lambda file: os.pwrite(file, b"xy", 3), lambda file: os.pread(file, 100, 0)),
    "write nothing": lambda root: opened(root / "file", W, lambda file: os.write(file, b"")),
    "write many pieces": lambda root: opened(root / "new", W | C, lambda file: os.writev(file, [b"a", b"bc", b"", b"d"])),
    "write synchronously": lambda root: opened(root / "new", W | C | os.O_SYNC, lambda file: os.write(file, b"x")),
    "write directly": lambda root: opened(root / "new", W | C | os.O_DIRECT, lambda file: os.write(file, mmap.mmap(-1, 4096))),
    "fsync": lambda root: opened(root / "file", RW, lambda file: os.write(file, b"x"), os.fsync, os.fdatasync),
    "fsync of a reader": lambda root: opened(root / "file", os.O_RDONLY, os.fsync),
    "fsync of a folder": lambda root: opened(root / "folder", os.O_RDONLY | os.O_DIRECTORY, os.fsync),
    "copy by the kernel": lambda root: opened(root / "new", W | C, lambda out: opened(
        root / "file", os.O_RDONLY, lambda file: os.sendfile(out, file, 0, 10))),
    "copy_file_range": lambda root: opened(root / "new", W | C, lambda out: opened(
        root / "file", os.O_RDONLY, lambda file: os.copy_file_range(file, out, 10))),
    "lock": lambda root: opened(root / "file", RW, lock),
    "seek for holes": lambda root: opened(root / "file", os.O_RDONLY, lambda file: os.lseek(file, 0, SEEK_HOLE),
                                          lambda file: os.lseek(file, 0, SEEK_DATA), lambda file: os.lseek(file, 0, 2)),
    "unlink": lambda root: os.unlink(root / "file"),
    "unlink while it is open": lambda root: opened(
        root / "new", RW | C, lambda file: os.write(file, b"x"), lambda file: os.unlink(root / "new"),
        lambda file: os.pread(file, 10, 0)),
    "mkdir": lambda root: os.mkdir(root / "new"),
    "rmdir": lambda root: os.rmdir(root / "bare"),
    "rename": lambda root: os.rename(root / "file", root / "new"),
    "rename onto itself": lambda root: os.rename(root / "file", root / "file"),
    "rename over a file": lambda root: os.rename(root / "file", root / "empty"),
    "rename a folder": lambda root: os.rename(root / "folder", root / "new"),
    "rename a folder over an empty one": lambda root: os.rename(root / "folder", root / "bare"),
    "rename into a folder": lambda root: os.rename(root / "file", root / "folder" / "other"),
    "rename without replacing": lambda root: rename2(root / "file", root / "new", RENAME_NOREPLACE),
    "access": lambda root: [os.access(root / "file", mode) for mode in (os.R_OK, os.W_OK, os.X_OK)],
    "stat of what is being written": lambda root: opened(
        root / "new", W | C, lambda file: os.write(file, b"xyz"), lambda file: os.fstat(file).st_size,
        lambda file: os.stat(root / "new").st_size),
}

REFUSED_AS_ANYWHERE: dict[str, tuple[Call, int]] = {
    "open what is not there": (lambda root: opened(root / "none", W), errno.ENOENT),
    "create in what is not there": (lambda root: opened(root / "none" / "new", W | C), errno.ENOENT),
    "create below a file": (lambda root: opened(root / "file" / "new", W | C), errno.ENOTDIR),
    "create what is there": (lambda root: opened(root / "file", W | C | os.O_EXCL), errno.EEXIST),
    "write to a folder": (lambda root: opened(root / "folder", W), errno.EISDIR),
    "truncate a folder": (lambda root: os.truncate(root / "folder", 0), errno.EISDIR),
    "write to a reader": (lambda root: opened(root / "file", os.O_RDONLY, lambda file: os.write(file, b"x")), errno.EBADF),
    "read from a writer": (lambda root: opened(root / "file", W, lambda file: os.read(file, 1)), errno.EBADF),
    "mkdir of what is there": (lambda root: os.mkdir(root / "folder"), errno.EEXIST),
    "mkdir of a file": (lambda root: os.mkdir(root / "file"), errno.EEXIST),
    "mkdir in what is not there": (lambda root: os.mkdir(root / "none" / "new"), errno.ENOENT),
    "rmdir of what has files": (lambda root: os.rmdir(root / "folder"), errno.ENOTEMPTY),
    "rmdir of a file": (lambda root: os.rmdir(root / "file"), errno.ENOTDIR),
    "rmdir of what is not there": (lambda root: os.rmdir(root / "none"), errno.ENOENT),
    "unlink of a folder": (lambda root: os.unlink(root / "folder"), errno.EISDIR),
    "unlink of what is not there": (lambda root: os.unlink(root / "none"), errno.ENOENT),
    "rename of what is not there": (lambda root: os.rename(root / "none", root / "new"), errno.ENOENT),
    "rename of a file over a folder": (lambda root: os.rename(root / "file", root / "bare"), errno.EISDIR),
    "rename of a folder over a file": (lambda root: os.rename(root / "folder", root / "file"), errno.ENOTDIR),
    "rename over what has files": (lambda root: os.rename(root / "bare", root / "folder"), errno.ENOTEMPTY),
    "rename into itself": (lambda root: os.rename(root / "folder", root / "folder" / "new"), errno.EINVAL),
    "rename onto what is there": (lambda root: rename2(root / "file", root / "empty", RENAME_NOREPLACE), errno.EEXIST),
    "a negative size": (lambda root: os.truncate(root / "file", -1), errno.EINVAL),
}

# What an object cannot be. Local file systems can.
REFUSED: dict[str, tuple[Call, int]] = {
    "hard link": (lambda root: os.link(root / "file", root / "new"), errno.EPERM),
    "symbolic link": (lambda root: os.symlink("file", root / "new"), errno.EPERM),
    "pipe": (lambda root: os.mkfifo(root / "new"), errno.EPERM),
    "socket": (lambda root: bound(root / "new"), errno.EPERM),
    "device": (lambda root: os.mknod(root / "new", stat.S_IFCHR | 0o600, os.makedev(1, 3)), errno.EPERM),
    "set-user-ID": (lambda root: os.chmod(root / "file", 0o4755), errno.EPERM),
    "extended attribute": (lambda root: os.setxattr(root / "file", "user.a", b"x"), errno.EOPNOTSUPP),
    "file without a name": (lambda root: opened(root, os.O_TMPFILE | RW), errno.EOPNOTSUPP),
    "exchange of names": (lambda root: rename2(root / "file", root / "empty", RENAME_EXCHANGE), errno.EINVAL),
    "a gap of more than 8 MiB": (
        lambda root: opened(root / "file", W, lambda file: os.pwrite(file, b"x", 9 * MIB)), errno.EOPNOTSUPP),
    "a name of more than 1,024 bytes": (lambda root: os.mkdir(root / ("n" * 1025)), errno.ENAMETOOLONG),
    "a shared map to write": (
        lambda root: opened(root / "file", RW, lambda file: mmap.mmap(file, 10)), errno.ENODEV),
}


@pytest.fixture(params=["folder", "bucket"])
def root(
    request: pytest.FixtureRequest, host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path
) -> collections.abc.Iterator[pathlib.Path]:
    (tmp_path / "data").mkdir()
    source = str(tmp_path / "data")
    if request.param == "bucket":
        if s3_server.program() is None:
            pytest.skip("versitygw is not installed")
        bucket: s3_server.S3Server = request.getfixturevalue("bucket")
        bucket.put("written")
        host.environment.update({**bucket.environment(), "FOREBAY_DAEMON": "off"})
        source = "s3://written"
    with mounted(host, mount_point, source) as path:
        yield path


def outcome(call: Call, root: pathlib.Path) -> object:
    try:
        return call(root)
    except OSError as error:
        return errno.errorcode[error.errno or 0]


def made(root: pathlib.Path) -> pathlib.Path:
    """A tree for one call."""
    root.mkdir()
    (root / "file").write_bytes(b"0123456789")
    (root / "empty").write_bytes(b"")
    (root / "folder").mkdir()
    (root / "folder" / "inner").write_bytes(b"inner")
    (root / "bare").mkdir()
    return root


def tree(root: pathlib.Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")}


def test_calls_have_the_outcome_of_a_local_folder(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    calls = WORKS | {name: call for name, (call, _) in REFUSED_AS_ANYWHERE.items()}
    for number, (name, call) in enumerate(calls.items()):
        local, seen = made(tmp_path / f"local{number}"), made(root / f"{number}")
        wanted = outcome(call, local)
        assert outcome(call, seen) == wanted, name
        assert tree(seen) == tree(local), name
        if name in WORKS:
            assert not isinstance(wanted, str), name
        else:
            assert wanted == errno.errorcode[REFUSED_AS_ANYWHERE[name][1]], name


def test_what_an_object_cannot_be_has_its_errno(root: pathlib.Path) -> None:
    for number, (name, (call, wanted)) in enumerate(REFUSED.items()):
        seen = made(root / f"{number}")
        before = tree(seen)
        assert outcome(call, seen) == errno.errorcode[wanted], name
        assert tree(seen) == before, name
