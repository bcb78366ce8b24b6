"""`forebay fuse`: what programs that know nothing of Forebay see of a store."""

from __future__ import annotations

import concurrent.futures
import errno
import mmap
import os
import pathlib
import random
import sys

import counting_proxy
import odd_bucket
import pytest
import s3_server
import web_server
from daemon_host import Host
from mounted import contents, errno_of, mounted, mounts_at, process_of, run, sha256_of, wait_until

needs_s3 = pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
MIB = 1 << 20


@pytest.fixture
def s3_host(host: Host, bucket: s3_server.S3Server) -> Host:
    host.environment.update(bucket.environment())
    return host


@needs_s3
@pytest.mark.parametrize("daemon", [False, True])
def test_programs_read_a_bucket(
    s3_host: Host, photos: pathlib.Path, mount_point: pathlib.Path, tmp_path: pathlib.Path, daemon: bool
) -> None:
    if daemon:
        s3_host.start()
    with mounted(s3_host, mount_point, "s3://photos"):
        assert run("ls", "-R", cwd=mount_point) == run("ls", "-R", cwd=photos)
        run("cp", "-r", mount_point, tmp_path / "copy")
        run("diff", "-r", photos, tmp_path / "copy")
        run("tar", "-cf", tmp_path / "all.tar", ".", cwd=mount_point)
        run("tar", "-df", tmp_path / "all.tar", cwd=mount_point)
        for file in photos.rglob("*.jpg"):
            seen = (mount_point / file.relative_to(photos)).stat()
            assert (seen.st_size, seen.st_nlink) == (file.stat().st_size, 1)
            assert abs(seen.st_mtime - file.stat().st_mtime) < 3600
    assert mounts_at(mount_point) == []


@needs_s3
def test_a_script_trains_on_a_folder_of_classes(s3_host: Host, photos: pathlib.Path, mount_point: pathlib.Path) -> None:
    """What ImageFolder does: classes are folders, samples are found by os.walk, and opened one by one."""
    Image = pytest.importorskip("PIL.Image")
    s3_host.start()
    with mounted(s3_host, mount_point, "s3://photos", "--trust", "1h"):
        classes = sorted(entry.name for entry in os.scandir(mount_point) if entry.is_dir())
        assert classes == ["class0", "class1", "class2"]
        samples = [
            (os.path.join(folder, name), number)
            for number, each in enumerate(classes)
            for folder, _, names in sorted(os.walk(mount_point / each, followlinks=True))
            for name in sorted(names)
        ]
        assert len(samples) == 37
        for _ in range(2):
            random.Random(3).shuffle(samples)
            for name, number in samples:
                with open(name, "rb") as file:
                    picture = Image.open(file).convert("RGB")
                with Image.open(photos / os.path.relpath(name, mount_point)) as wanted:
                    assert picture.tobytes() == wanted.convert("RGB").tobytes()
                assert f"class{number}" in name


@needs_s3
def test_a_second_epoch_asks_the_store_for_nothing(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, mount_point: pathlib.Path
) -> None:
    host.environment.update(bucket.environment())
    with counting_proxy.counting_proxy(bucket.port) as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        host.start()
        with mounted(host, mount_point, "s3://photos", "--trust", "1h"):
            wanted = contents(photos)
            assert contents(mount_point) == wanted
            before = (proxy.lists, proxy.others)
            assert proxy.others <= len(wanted) + 1, "a listing tells of all files, so that each is asked for once"
            for name in wanted:
                drop_pages(mount_point / name)
            assert {name: sha256_of(mount_point / name) for name in wanted} == wanted
            assert (proxy.lists, proxy.others) == before


@needs_s3
def test_the_cache_is_asked_ahead_of_who_reads_from_front_to_back(
    s3_host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    """Further than the kernel reads ahead by itself."""
    bucket.put("photos/large", bytes(64 * MIB))
    s3_host.start()
    with mounted(s3_host, mount_point, "s3://photos"), open(mount_point / "large", "rb", buffering=0) as file:
        for _ in range(4):
            assert file.read(MIB) == bytes(MIB)
        wait_until(lambda: s3_host.status()["upstream_bytes"] >= 18 * MIB)
        assert s3_host.status()["upstream_bytes"] < 40 * MIB


@needs_s3
def test_the_cache_is_asked_ahead_of_who_reads_at_equal_steps(
    s3_host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    """For the records that come next, and not for what lies between them."""
    content = os.urandom(MIB) * 64
    bucket.put("photos/large", content)
    s3_host.start()
    with mounted(s3_host, mount_point, "s3://photos"), open(mount_point / "large", "rb", buffering=0) as file:
        for at in range(0, 20 * MIB, 4 * MIB):
            assert os.pread(file.fileno(), 10_000, at + 100) == content[at + 100 : at + 10_100]
        wait_until(lambda: s3_host.status()["upstream_bytes"] >= 14 * MIB)
        assert s3_host.status()["upstream_bytes"] < 20 * MIB


@needs_s3
def test_how_much_is_near_is_an_attribute(
    s3_host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    bucket.put("photos/large", bytes(3 * MIB + 5))
    s3_host.start()
    with mounted(s3_host, mount_point, "s3://photos"):
        def resident() -> int:
            return int(os.getxattr(mount_point / "large", "user.forebay.resident"))
        assert resident() == 0
        assert set(os.listxattr(mount_point / "large")) == {"user.forebay.version", "user.forebay.resident"}
        with open(mount_point / "large", "rb", buffering=0) as file:
            os.pread(file.fileno(), 10, 2 * MIB)
        assert MIB <= resident() < 3 * MIB + 5
        (mount_point / "large").read_bytes()
        assert resident() == 3 * MIB + 5
        assert errno_of(lambda: os.getxattr(mount_point, "user.forebay.resident")) == errno.ENODATA


def drop_pages(name: pathlib.Path) -> None:
    """What the kernel has kept of a file."""
    descriptor = os.open(name, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def test_a_local_folder_is_read(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    with mounted(host, mount_point, str(small_tree)):
        assert contents(mount_point) == contents(small_tree)
        assert (mount_point / "sub").is_dir() and not (mount_point / "sub").is_symlink()
        assert abs((mount_point / "a.bin").stat().st_mtime - (small_tree / "a.bin").stat().st_mtime) < 0.001
        assert os.listxattr(mount_point / "a.bin") == ["user.forebay.version"]
        assert len(os.getxattr(mount_point / "a.bin", "user.forebay.version")) > 0
        assert errno_of(lambda: os.getxattr(mount_point / "a.bin", "user.none")) == errno.ENODATA
        assert os.statvfs(mount_point).f_blocks == os.statvfs(small_tree).f_blocks
        entries = list(os.scandir(mount_point))
        assert [entry.inode() for entry in entries] == [entry.stat().st_ino for entry in entries]


@pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed")
@pytest.mark.parametrize("daemon", [False, True])
def test_a_web_folder_is_read(
    host: Host, server: web_server.WebServer, photos: pathlib.Path, mount_point: pathlib.Path, daemon: bool
) -> None:
    """Its listings say less of a file than its answers do."""
    if daemon:
        host.start()
    for trust in ("1s", "1h"):
        with mounted(host, mount_point, server.url(), "--trust", trust):
            assert contents(mount_point) == contents(photos)
            assert run("ls", "-lR", mount_point)


def test_reads_of_any_kind(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    wanted = (small_tree / "sub/deep/c.bin").read_bytes()
    draw = random.Random(2)
    with mounted(host, mount_point, str(small_tree)), open(mount_point / "sub/deep/c.bin", "rb") as file:
        for _ in range(200):
            offset, size = draw.randrange(len(wanted) + 100), draw.randrange(1, 300_000)
            assert os.pread(file.fileno(), size, offset) == wanted[offset : offset + size]
        with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as view:
            assert view[:] == wanted
        direct = os.open(mount_point / "sub/deep/c.bin", os.O_RDONLY | os.O_DIRECT)
        with mmap.mmap(-1, 2 * MIB) as room:
            assert os.preadv(direct, [room], MIB) == 2 * MIB
            assert room[:] == wanted[MIB : 3 * MIB]
        os.close(direct)


def test_names_of_any_bytes(host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path) -> None:
    names = [b"odd \xff\n'\\ name", b"caf\xe9", b" ", b"-rf", b"a\\040b", b"%20", "\u00fc".encode(), b"#?&", b"n" * 255]
    root = os.fsencode(tmp_path / "data")
    for name in names:
        os.makedirs(root + b"/" + name)
        with open(root + b"/" + name + b"/" + name, "wb") as file:
            file.write(name)
    at = os.fsencode(mount_point)
    with mounted(host, mount_point, str(tmp_path / "data")):
        assert sorted(os.listdir(at)) == sorted(names)
        for name in names:
            assert os.listdir(at + b"/" + name) == [name]
            with open(at + b"/" + name + b"/" + name, "rb") as file:
                assert file.read() == name


def test_names_of_any_bytes_are_made_moved_and_removed(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path
) -> None:
    (tmp_path / "data").mkdir()
    names = [bytes([byte, *b"n", byte]) for byte in range(1, 256) if byte != ord("/")]
    at, root = os.fsencode(mount_point) + b"/", os.fsencode(tmp_path / "data") + b"/"
    with mounted(host, mount_point, str(tmp_path / "data")):
        for name in names:
            os.mkdir(at + name)
            with open(at + name + b"/made", "wb") as file:
                file.write(name)
            os.rename(at + name + b"/made", at + name + b"/" + name)
        assert sorted(os.listdir(root)) == sorted(os.listdir(at)) == sorted(names)
        for name in names:
            assert os.listdir(root + name) == [name]
            with open(root + name + b"/" + name, "rb") as file:
                assert file.read() == name
            os.unlink(at + name + b"/" + name)
            os.rmdir(at + name)
        assert os.listdir(root) == []


def test_objects_that_no_file_can_be_called_are_left_out(host: Host, mount_point: pathlib.Path) -> None:
    objects = {"ok": b"1", "a//b": b"2", "../up": b"3", "./x": b"4", "line\nbreak": b"5", "both": b"6", "both/x": b"7",
               "marked/": b"", "\u00fc/\u00e9": b"8"}
    with odd_bucket.odd_bucket(objects) as server:
        host.environment.update(server.environment(), FOREBAY_DAEMON="off")
        with mounted(host, mount_point, "s3://odd"):
            assert sorted(os.listdir(mount_point)) == ["a", "both", "line\nbreak", "marked", "ok", "\u00fc"]
            assert (mount_point / "both").read_bytes() == b"6"
            assert (mount_point / "line\nbreak").read_bytes() == b"5"
            assert os.listdir(mount_point / "marked") == [] == os.listdir(mount_point / "a")
            assert (mount_point / "\u00fc" / "\u00e9").read_bytes() == b"8"


def test_a_large_folder(host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    names = [f"{number:05}" for number in range(20_000)]
    for name in names:
        (root / name).touch()
    with mounted(host, mount_point, str(root)):
        assert sorted(os.listdir(mount_point)) == names
        assert run("ls", "-U", mount_point).decode().split() == names
        assert sum(entry.stat().st_size == 0 for entry in os.scandir(mount_point)) == len(names)


@pytest.mark.parametrize("daemon", [False, True])
def test_many_readers_at_once(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path, daemon: bool) -> None:
    """More than there are threads for, of files that are larger than a request."""
    shown = str(small_tree)
    if daemon:
        host.start()
        host.run("mount", "/data", f"file://{small_tree}", "--option", "cache=on")
        shown = "forebay:///data"
    wanted = contents(small_tree)
    with mounted(host, mount_point, shown, "--threads", "4"):
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            for name, seen in pool.map(lambda name: (name, sha256_of(mount_point / name)), [*wanted] * 64):
                assert seen == wanted[name]


def status_of(process: int) -> dict[str, str]:
    """What the kernel says of a process."""
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    return dict(line.split(":", 1) for line in text.splitlines())


def resident_bytes(process: int) -> int:
    return int(status_of(process)["VmRSS"].split()[0]) * 1024


@pytest.mark.nightly
def test_a_folder_of_a_million(host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path) -> None:
    """Is listed, and each of it looked at, within so much memory a name."""
    root = tmp_path / "data"
    root.mkdir()
    names = [f"{number:07}" for number in range(1_000_000)]
    for name in names:
        os.mknod(root / name)
    with mounted(host, mount_point, str(root), longest_s=900):
        before = resident_bytes(process_of(mount_point, "server"))
        assert sorted(os.listdir(mount_point)) == names
        assert sum(entry.stat().st_size for entry in os.scandir(mount_point)) == 0
        assert (resident_bytes(process_of(mount_point, "server")) - before) / len(names) < 1000
        (mount_point / "0500000").unlink()
        (mount_point / "new").touch()
        with os.scandir(mount_point) as entries:
            assert {entry.name for entry in entries} == {*names, "new"} - {"0500000"}


MANY = """
import concurrent.futures, hashlib, os, resource, sys, threading

root, wanted = sys.argv[1], sys.argv[2]
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
most = 12_000 if hard == resource.RLIM_INFINITY else min(12_000, hard)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
open_files = [os.open(root, os.O_RDONLY) for _ in range(max(most - 2000, 10))]
together = threading.Barrier(1000)


def read(number):
    together.wait()
    with open(root, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest() == wanted


threading.stack_size(128 << 10)
with concurrent.futures.ThreadPoolExecutor(1000) as pool:
    assert all(pool.map(read, range(1000)))
assert all(os.pread(each, 10, 0) for each in open_files)
"""


@pytest.mark.parametrize("daemon", [False, True])
def test_a_thousand_readers_beside_ten_thousand_open_files(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path, daemon: bool
) -> None:
    shown = str(small_tree)
    if daemon:
        host.start()
        host.run("mount", "/data", f"file://{small_tree}", "--option", "cache=on")
        shown = "forebay:///data"
    threads = 64
    with mounted(host, mount_point, shown, "--threads", str(threads)):
        name = "sub/deep/c.bin"
        process = process_of(mount_point, "server")
        before = int(status_of(process)["Threads"])
        run(sys.executable, "-c", MANY, mount_point / name, sha256_of(small_tree / name))
        fields = status_of(process)
        assert int(fields["Threads"]) <= before + threads + (os.cpu_count() or 1)
        assert int(fields["RssAnon"].split()[0]) < 200 << 10  # KiB


@needs_s3
def test_a_changed_object_is_seen(
    s3_host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, mount_point: pathlib.Path
) -> None:
    bucket.put("photos/changing", b"before")
    with mounted(s3_host, mount_point, "s3://photos"):
        assert (mount_point / "changing").read_bytes() == b"before"
        assert errno_of((mount_point / "new").read_bytes) == errno.ENOENT
        version = os.getxattr(mount_point / "changing", "user.forebay.version")
        bucket.put("photos/changing", b"afterwards")
        bucket.put("photos/new", b"new")
        wait_until(lambda: read_now(mount_point / "changing") == b"afterwards")
        assert os.getxattr(mount_point / "changing", "user.forebay.version") != version
        wait_until(lambda: read_now(mount_point / "new") == b"new")


@needs_s3
def test_a_changed_object_is_found_however_long_names_are_trusted(
    s3_host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    """Once somebody has tried to read what is no more."""
    bucket.put("photos/changing", b"before")
    with mounted(s3_host, mount_point, "s3://photos", "--trust", "1h"):
        assert (mount_point / "changing").read_bytes() == b"before"
        bucket.put("photos/changing", b"afterwards")
        assert (mount_point / "changing").read_bytes() == b"before", "which the kernel has kept"
        drop_pages(mount_point / "changing")
        assert errno_of((mount_point / "changing").read_bytes) == errno.ESTALE
        assert (mount_point / "changing").read_bytes() == b"afterwards"
        assert (mount_point / "changing").stat().st_size == 10


def read_now(name: pathlib.Path) -> bytes | None:
    """Nothing while it is not there, or becomes another between its name and its bytes."""
    try:
        return name.read_bytes()
    except OSError as error:
        assert error.errno in (errno.ENOENT, errno.ESTALE)
        return None


def test_nothing_is_written(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    with mounted(host, mount_point, str(small_tree), "--read-only"):
        for call in (
            lambda: open(mount_point / "new", "w"),
            lambda: open(mount_point / "a.bin", "r+"),
            lambda: os.truncate(mount_point / "a.bin", 0),
            lambda: os.unlink(mount_point / "a.bin"),
            lambda: os.mkdir(mount_point / "folder"),
            lambda: os.rmdir(mount_point / "x"),
            lambda: os.rename(mount_point / "a.bin", mount_point / "b.bin"),
            lambda: os.link(mount_point / "a.bin", mount_point / "b.bin"),
            lambda: os.symlink("a.bin", mount_point / "b.bin"),
            lambda: os.chmod(mount_point / "a.bin", 0o600),
            lambda: os.utime(mount_point / "a.bin"),
            lambda: os.setxattr(mount_point / "a.bin", "user.a", b"b"),
        ):
            assert errno_of(call) == errno.EROFS
    assert (small_tree / "a.bin").stat().st_size == 1


def test_what_is_not_there_has_the_usual_errno(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    with mounted(host, mount_point, str(small_tree)):
        assert errno_of((mount_point / "none").stat) == errno.ENOENT
        assert errno_of((mount_point / "a.bin" / "x").stat) == errno.ENOTDIR
        assert errno_of(lambda: os.listdir(mount_point / "a.bin")) == errno.ENOTDIR
        assert errno_of((mount_point / "sub").read_bytes) == errno.EISDIR
        assert errno_of((mount_point / ("n" * 300)).stat) == errno.ENOENT
        assert errno_of(lambda: os.readlink(mount_point / "a.bin")) == errno.EINVAL


@needs_s3
def test_a_store_that_has_gone_is_an_error_in_time(
    s3_host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    s3_host.environment["FOREBAY_DAEMON"] = "off"
    bucket.put("photos/large", bytes(5 * MIB))
    with mounted(s3_host, mount_point, "s3://photos", "--patience", "2s"):
        with open(mount_point / "large", "rb") as file:
            assert os.pread(file.fileno(), 10, 0) == bytes(10)
            bucket.stop()
            assert errno_of(lambda: os.pread(file.fileno(), 10, 4 * MIB)) in (errno.EIO, errno.ETIMEDOUT)
        assert errno_of((mount_point / "other").stat) in (errno.EIO, errno.ETIMEDOUT)


def test_all_mounts_are_one_tree(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "nothing").mkdir()
    assert host.run("mount", "/sets/train", f"file://{small_tree}").returncode == 0
    assert host.run("mount", "/sets/none", f"file://{tmp_path}/nothing").returncode == 0
    with mounted(host, mount_point):
        assert os.listdir(mount_point) == ["sets"], "and no file beside the mounts"
        assert sorted(os.listdir(mount_point / "sets")) == ["none", "train"]
        assert os.listdir(mount_point / "sets" / "none") == []
        assert contents(mount_point / "sets" / "train") == contents(small_tree)
        assert host.run("mount", "/later", f"file://{small_tree}").returncode == 0
        wait_until(lambda: contents(mount_point / "later") == contents(small_tree))
        assert host.run("unmount", "/later").returncode == 0
        wait_until(lambda: "later" not in os.listdir(mount_point))


@needs_s3
def test_mounted_buckets_are_in_that_tree(s3_host: Host, photos: pathlib.Path, mount_point: pathlib.Path) -> None:
    s3_host.start()
    for name, uri in (("/sets/all", "s3://photos"), ("/sets/one", "s3://photos/class1")):
        assert s3_host.run("mount", name, uri, "--read-only").returncode == 0
    with mounted(s3_host, mount_point, "--trust", "1h"):
        assert contents(mount_point / "sets" / "all") == contents(photos)
        assert contents(mount_point / "sets" / "one") == contents(photos / "class1")
    with mounted(s3_host, mount_point, "/sets/one"):
        assert contents(mount_point) == contents(photos / "class1")
    with mounted(s3_host, mount_point, "/sets"):
        assert sorted(os.listdir(mount_point)) == ["all", "one"]
        assert contents(mount_point / "one") == contents(photos / "class1")
