"""`forebay fuse` as programs write to it: what is stored, when, and what cannot be."""

from __future__ import annotations

import collections.abc
import concurrent.futures
import errno
import mmap
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import daemon_host
import pytest
import s3_server
from daemon_host import Host
from mounted import contents, errno_of, mounted, run, wait_until

MIB = 1 << 20


@pytest.fixture(params=["folder", "bucket", "daemon"])
def place(
    request: pytest.FixtureRequest, host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path
) -> collections.abc.Iterator[pathlib.Path]:
    """A mount that is empty: of a folder, of a bucket, and of one through the host's cache."""
    if request.param == "folder":
        (tmp_path / "data").mkdir()
        with mounted(host, mount_point, str(tmp_path / "data")):
            yield mount_point
        return
    if s3_server.program() is None:
        pytest.skip("versitygw is not installed")
    bucket: s3_server.S3Server = request.getfixturevalue("bucket")
    bucket.put("written")
    bucket.put("written/keep/me", b"here")
    host.environment.update(bucket.environment())
    if request.param == "daemon":
        host.start()
    with mounted(host, mount_point, "s3://written"):
        shutil.rmtree(mount_point / "keep")
        yield mount_point


def stored(host: Host, place: pathlib.Path, name: str) -> bytes:
    """What the store has, by another way than the mount."""
    source = next(line.split()[0] for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()
                  if line.split()[1] == str(place))
    assert daemon_host.PROGRAM is not None
    done = subprocess.run([daemon_host.PROGRAM, "cat", f"{source}/{name}"], env=host.environment, capture_output=True,
                          check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("size", [0, 1, 4096, 3 * MIB + 1, 16 * MIB, 41 * MIB + 7])
def test_a_file_is_stored_when_it_is_closed(host: Host, place: pathlib.Path, size: int) -> None:
    content = random.Random(size).randbytes(size)
    with open(place / "file", "wb") as file:
        file.write(content)
        assert (place / "file").exists()
        file.flush()
        assert os.fstat(file.fileno()).st_size == size
    assert stored(host, place, "file") == content
    assert (place / "file").stat().st_size == size
    assert (place / "file").read_bytes() == content
    assert os.listdir(place) == ["file"]


def test_a_file_that_is_replaced_is_the_old_one_for_who_reads_it(host: Host, place: pathlib.Path) -> None:
    (place / "file").write_bytes(b"old" * 1000)
    with open(place / "file", "rb", buffering=0) as reader:
        assert reader.read(3) == b"old"
        with open(place / "file", "wb") as writer:
            writer.write(b"newer" * 1000)
            assert stored(host, place, "file") == b"old" * 1000
        assert stored(host, place, "file") == b"newer" * 1000
        assert os.fstat(reader.fileno()).st_size == 3000
        assert os.pread(reader.fileno(), 10, 0) == b"oldoldoldo"
    assert (place / "file").read_bytes() == b"newer" * 1000


def test_small_files_are_changed_anywhere(host: Host, place: pathlib.Path) -> None:
    (place / "file").write_bytes(b"0123456789")
    with open(place / "file", "r+b") as file:
        file.seek(3)
        file.write(b"xx")
        file.seek(0)
        assert file.read() == b"012xx56789"
        file.truncate(7)
        file.seek(9)
        file.write(b"!")
    assert stored(host, place, "file") == b"012xx56\0\0!"
    with open(place / "file", "ab") as file:
        file.write(b"more")
    assert stored(host, place, "file") == b"012xx56\0\0!more"
    os.truncate(place / "file", 3)
    assert stored(host, place, "file") == b"012" == (place / "file").read_bytes()
    os.truncate(place / "file", 0)
    assert stored(host, place, "file") == b"" == (place / "file").read_bytes()


def test_large_files_grow_at_their_end(host: Host, place: pathlib.Path) -> None:
    content = random.Random(1).randbytes(20 * MIB)
    with open(place / "file", "wb") as file:
        file.write(content)
        os.fsync(file.fileno())
        assert stored(host, place, "file") == content
        file.write(b"more")
    assert stored(host, place, "file") == content + b"more"
    with open(place / "file", "ab") as file:
        file.write(b" and more")
    assert stored(host, place, "file") == content + b"more and more"
    with open(place / "file", "r+b", buffering=0) as file:
        assert errno_of(lambda: file.write(b"x")) == errno.EOPNOTSUPP
    with open(place / "other", "wb", buffering=0) as file:
        assert file.write(content) > 0
        file.seek(0)
        assert errno_of(lambda: file.write(b"x")) == errno.EOPNOTSUPP
        assert errno_of(lambda: os.pwrite(file.fileno(), b"x", 100 * MIB)) == errno.EOPNOTSUPP
    assert stored(host, place, "file") == content + b"more and more"


def test_shells_write_by_several_programs(host: Host, place: pathlib.Path) -> None:
    subprocess.run(["sh", "-c", "{ /bin/echo a; echo b; /bin/echo c; } > file; /bin/echo d >> file"], cwd=place,
                   check=True, timeout=60)
    assert stored(host, place, "file") == b"a\nb\nc\nd\n"


def test_a_child_that_ends_stores_nothing(host: Host, place: pathlib.Path) -> None:
    """It closes what it has inherited, and the writer is not done."""
    with open(place / "file", "wb", buffering=0) as file:
        file.write(b"half")
        os.set_inheritable(file.fileno(), True)
        subprocess.run(["true"], check=True, close_fds=False)
        listed = os.listdir(place)
        file.write(b" and half")
    assert listed == []
    assert stored(host, place, "file") == b"half and half"


KILLED = """
import os, signal, sys
file = open(sys.argv[1], "wb", buffering=0)
file.write(b"half of it")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_who_is_killed_replaces_nothing(host: Host, place: pathlib.Path) -> None:
    (place / "old").write_bytes(b"all of it")
    for name in ("old", "new"):
        subprocess.run([sys.executable, "-c", KILLED, place / name], check=False, timeout=60)
    assert (place / "old").read_bytes() == b"all of it"
    assert stored(host, place, "old") == b"all of it"


def test_names_are_made_moved_and_removed(host: Host, place: pathlib.Path) -> None:
    os.makedirs(place / "a" / "b")
    assert errno_of(lambda: os.mkdir(place / "a")) == errno.EEXIST
    (place / "a" / "b" / "one").write_bytes(b"1")
    (place / "a" / "two").write_bytes(b"2")
    assert errno_of(lambda: os.rmdir(place / "a")) == errno.ENOTEMPTY
    os.rename(place / "a" / "two", place / "two")
    os.rename(place / "a" / "b" / "one", place / "two")  # which is replaced
    assert (place / "two").read_bytes() == b"1"
    (place / "a" / "b" / "three").write_bytes(b"3")
    os.rename(place / "a", place / "c")
    assert sorted(contents(place)) == ["c/b/three", "two"]
    assert stored(host, place, "c/b/three") == b"3"
    assert errno_of(lambda: os.rename(place / "c", place / "c" / "d")) == errno.EINVAL
    assert errno_of(lambda: os.rename(place / "two", place / "c")) == errno.EISDIR
    assert errno_of(lambda: os.rename(place / "none", place / "c")) == errno.ENOENT
    os.unlink(place / "two")
    assert errno_of(lambda: os.unlink(place / "two")) == errno.ENOENT
    shutil.rmtree(place / "c")
    assert os.listdir(place) == []


def test_what_is_being_written_may_be_renamed_and_removed(host: Host, place: pathlib.Path) -> None:
    with open(place / "file", "wb", buffering=0) as file:
        file.write(b"one")
        os.rename(place / "file", place / "moved")
        file.write(b" two")
        assert not (place / "file").exists()
        assert (place / "moved").stat().st_size == 7
    assert stored(host, place, "moved") == b"one two"
    with open(place / "gone", "w+b", buffering=0) as file:
        file.write(b"scratch")
        os.unlink(place / "gone")
        file.seek(0)
        assert file.read() == b"scratch"
    assert os.listdir(place) == ["moved"]


@pytest.mark.parametrize("size", [1, 20 * MIB])
def test_a_file_goes_on_under_its_new_name(host: Host, place: pathlib.Path, size: int) -> None:
    content = random.Random(size).randbytes(size)
    os.mkdir(place / "folder")
    with open(place / "folder" / "log", "ab", buffering=0) as file:
        file.write(content)
        os.rename(place / "folder" / "log", place / "folder" / "log.1")
        file.write(b" and")
        os.fsync(file.fileno())
        os.rename(place / "folder", place / "other")
        file.write(b" more")
    assert stored(host, place, "other/log.1") == content + b" and more"
    assert os.listdir(place / "other") == ["log.1"]


def test_two_programs_append_in_turns(host: Host, place: pathlib.Path) -> None:
    """Each opens the file anew for each line, and none is told of the other."""
    script = "import sys\nfor _ in range(60):\n    with open(sys.argv[1], 'a') as file:\n        file.write('x')"
    (place / "log").write_bytes(b"")
    programs = [subprocess.Popen([sys.executable, "-c", script, place / "log"]) for _ in range(2)]
    assert [program.wait(60) for program in programs] == [0, 0]
    assert set(stored(host, place, "log")) == {ord("x")}


STOPPED = """
import os, signal, sys
caught = []
signal.signal(signal.SIGTERM, lambda *_: caught.append(1))
descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
content = b"x" * (1 << 20)
for _ in range(24):
    assert os.write(descriptor, content) == len(content)
print("written", flush=True)
try:
    os.close(descriptor)
except InterruptedError:
    pass
sys.stdin.readline()  # at its end Python handles no signals any more
"""


def test_a_signal_that_a_program_handles_loses_nothing(host: Host, place: pathlib.Path) -> None:
    """As a scheduler sends it to a program that is writing its last checkpoint."""
    program = subprocess.Popen([sys.executable, "-c", STOPPED, place / "last"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    assert program.stdin is not None
    assert program.stdout.readline() == "written\n"
    for _ in range(20):
        program.send_signal(signal.SIGTERM)
        time.sleep(0.002)
    program.stdin.close()
    assert program.wait(60) == 0
    wait_until(lambda: (place / "last").exists() and (place / "last").read_bytes() == b"x" * (24 * MIB))
    assert stored(host, place, "last") == b"x" * (24 * MIB)


def test_who_may_not_write_reads_as_before(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path, small_tree: pathlib.Path
) -> None:
    assert host.run("mount", "/in/fixed", f"file://{small_tree}", "--read-only").returncode == 0
    with mounted(host, mount_point):
        path = mount_point / "in" / "fixed" / "sub" / "b.bin"
        for call in (lambda: open(path, "r+b"), lambda: open(path.with_name("new"), "wb"), lambda: os.truncate(path, 0),
                     lambda: os.mknod(path.with_name("new")), lambda: os.mkdir(path.with_name("new")), path.unlink,
                     lambda: path.rename(path.with_name("new"))):
            assert errno_of(call) == errno.EACCES
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as seen:
            assert seen[:] == (small_tree / "sub" / "b.bin").read_bytes()


def test_what_was_replaced_elsewhere_is_added_to(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path
) -> None:
    """Also where the mount has trusted what it knew; and a reader that was told ESTALE does not hinder that."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "log").write_bytes(b"old\n" * 100_000)
    with mounted(host, mount_point, str(data), "--trust", "1h"):
        with open(mount_point / "log", "rb", buffering=0) as file:
            assert file.read(4) == b"old\n"
            (data / "new").write_bytes(b"new\n")
            os.rename(data / "new", data / "log")
            assert errno_of(lambda: os.pread(file.fileno(), 10, 300_000)) == errno.ESTALE
        with open(mount_point / "log", "ab") as file:
            file.write(b"mine\n")
        (data / "new").write_bytes(b"newer\n")
        os.rename(data / "new", data / "log")
        with open(mount_point / "log", "ab") as file:
            file.write(b"mine\n")
    assert (data / "log").read_bytes() == b"newer\nmine\n"


def test_what_was_replaced_elsewhere_is_what_is_renamed(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path
) -> None:
    """Also if the kernel has the bytes of before."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "file").write_bytes(b"1" * 600_000)
    with mounted(host, mount_point, str(data), "--trust", "1h"):
        for _ in range(2):
            assert (mount_point / "file").read_bytes() == b"1" * 600_000
        (data / "new").write_bytes(b"2" * 600_000)
        os.rename(data / "new", data / "file")
        os.rename(mount_point / "file", mount_point / "moved")
        assert (mount_point / "moved").read_bytes() == b"2" * 600_000


def test_what_cannot_be_removed_is_stored(host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path) -> None:
    (tmp_path / "kept").mkdir()
    assert host.run("mount", "/in/kept", f"file://{tmp_path}/kept", "--immutable").returncode == 0
    with mounted(host, mount_point):
        with open(mount_point / "in" / "kept" / "file", "wb", buffering=0) as file:
            file.write(b"ab")
            with open(mount_point / "in" / "kept" / "file", "ab", buffering=0) as again:  # it is not stored yet
                again.write(b"c")
            assert errno_of(lambda: os.unlink(mount_point / "in" / "kept" / "file")) == errno.EACCES
        for mode in ("r+b", "wb", "ab"):
            assert errno_of(lambda: open(mount_point / "in" / "kept" / "file", mode)) == errno.EACCES
    assert (tmp_path / "kept" / "file").read_bytes() == b"abc"


def test_one_of_two_creates_a_file(host: Host, place: pathlib.Path) -> None:
    with open(place / "lock", "xb") as file:
        assert errno_of(lambda: open(place / "lock", "xb")) == errno.EEXIST
        file.write(b"mine")
    assert errno_of(lambda: open(place / "lock", "xb")) == errno.EEXIST
    assert stored(host, place, "lock") == b"mine"


def test_programs_copy_trees(host: Host, place: pathlib.Path, small_tree: pathlib.Path) -> None:
    run("cp", "-rp", small_tree, place / "copy")
    run("diff", "-r", small_tree, place / "copy")
    shutil.copytree(small_tree, place / "again")
    run("diff", "-r", small_tree, place / "again")
    run("tar", "-cf", place / "all.tar", ".", cwd=small_tree)
    run("tar", "-df", place / "all.tar", cwd=small_tree)
    (place / "out").mkdir()
    run("tar", "-xf", place / "all.tar", cwd=place / "out")
    run("diff", "-r", small_tree, place / "out")
    run("mv", place / "out", place / "moved")
    run("diff", "-r", small_tree, place / "moved")
    run("rm", "-r", place / "copy", place / "again", place / "moved", place / "all.tar")
    assert os.listdir(place) == []


def test_what_no_object_has_is_refused(host: Host, place: pathlib.Path) -> None:
    (place / "file").write_bytes(b"x")
    assert errno_of(lambda: os.link(place / "file", place / "other")) == errno.EPERM
    assert errno_of(lambda: os.symlink("file", place / "other")) == errno.EPERM
    assert errno_of(lambda: os.mkfifo(place / "other")) == errno.EPERM
    assert errno_of(lambda: os.setxattr(place / "file", "user.a", b"b")) == errno.EOPNOTSUPP
    assert errno_of(lambda: os.chmod(place / "file", 0o4755)) == errno.EPERM
    assert subprocess.run(["fallocate", "-l", "10", place / "file"], capture_output=True, check=False).returncode != 0
    os.chmod(place / "file", 0o600)
    os.utime(place / "file", (1, 1))
    os.mknod(place / "node")
    assert stored(host, place, "node") == b""
    assert os.statvfs(place).f_bavail > 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk")
def test_a_full_disk_is_said_when_the_file_is_closed(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk)
    try:
        with mounted(host, mount_point, str(disk)):
            (mount_point / "old").write_bytes(b"all of it")
            for name in ("old", "new"):
                file = open(mount_point / name, "wb", buffering=0)
                file.write(bytes(3 * MIB))
                assert errno_of(file.close) == errno.ENOSPC
            assert os.listdir(disk) == ["old"]
            assert (mount_point / "old").read_bytes() == b"all of it"
            (mount_point / "new").write_bytes(b"fits")
        assert sorted(os.listdir(disk)) == ["new", "old"]
    finally:
        run("umount", disk)


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
def test_a_store_that_has_gone_is_an_error_of_close(
    host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    host.environment.update(bucket.environment())
    with mounted(host, mount_point, "s3://photos", "--patience", "2s"):
        small, large = (open(mount_point / name, "wb", buffering=0) for name in ("small", "large"))
        small.write(b"abc")
        large.write(bytes(17 * MIB))
        bucket.stop()
        assert errno_of(small.close) in (errno.EIO, errno.ETIMEDOUT)
        assert errno_of(large.close) in (errno.EIO, errno.ETIMEDOUT)
        assert errno_of(lambda: os.mkdir(mount_point / "folder")) in (errno.EIO, errno.ETIMEDOUT)


def test_many_write_at_once(host: Host, place: pathlib.Path) -> None:
    def write(number: int) -> None:
        folder = place / f"{number % 7}"
        os.makedirs(folder, exist_ok=True)
        (folder / f"{number}").write_bytes(bytes([number % 256]) * (number * 300))
        os.rename(folder / f"{number}", folder / f"{number}.bin")

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(write, range(300)))
    files = [place / f"{number % 7}" / f"{number}.bin" for number in range(300)]
    assert all(file.read_bytes() == bytes([number % 256]) * (number * 300) for number, file in enumerate(files))
    assert len(contents(place)) == 300


def test_a_mount_that_may_not_be_written_says_so_at_once(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path
) -> None:
    for name in ("plain", "fixed", "kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"old")
    assert host.run("mount", "/in/plain", f"file://{tmp_path}/plain").returncode == 0
    assert host.run("mount", "/in/fixed", f"file://{tmp_path}/fixed", "--read-only").returncode == 0
    assert host.run("mount", "/in/kept", f"file://{tmp_path}/kept", "--immutable").returncode == 0
    with mounted(host, mount_point):
        (mount_point / "in" / "plain" / "new").write_bytes(b"new")
        os.rename(mount_point / "in" / "plain" / "new", mount_point / "in" / "plain" / "newer")
        assert (tmp_path / "plain" / "newer").read_bytes() == b"new"
        for call in (
            lambda: open(mount_point / "in" / "fixed" / "new", "wb"),
            lambda: os.mkdir(mount_point / "in" / "fixed" / "folder"),
            lambda: os.unlink(mount_point / "in" / "fixed" / "file"),
            lambda: os.unlink(mount_point / "in" / "kept" / "file"),
            lambda: open(mount_point / "new", "wb"),
            lambda: open(mount_point / "in" / "new", "wb"),
            lambda: os.mkdir(mount_point / "folder"),
        ):
            assert errno_of(call) in (errno.EACCES, errno.EROFS)
        (mount_point / "in" / "kept" / "new").write_bytes(b"new")
        assert (tmp_path / "kept" / "new").read_bytes() == b"new"
        assert errno_of(lambda: os.rmdir(mount_point / "in" / "plain")) == errno.EBUSY
        assert errno_of(lambda: os.rename(mount_point / "in" / "plain", mount_point / "in" / "b")) == errno.EBUSY
        assert errno_of(lambda: os.rename(mount_point / "in" / "plain" / "newer",
                                          mount_point / "in" / "kept" / "newer")) == errno.EXDEV
        run("mv", mount_point / "in" / "plain" / "newer", mount_point / "in" / "kept")
        assert (tmp_path / "kept" / "newer").read_bytes() == b"new"
