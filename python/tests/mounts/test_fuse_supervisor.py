"""`forebay fuse` whose processes are killed: the mount and what is open go on, and nothing is left behind."""

from __future__ import annotations

import errno
import os
import pathlib
import signal
import subprocess

import gated_proxy
import pytest
import s3_server
from daemon_host import Host
from mounted import (
    PATIENCE_S,
    Mount,
    contents,
    errno_of,
    mounted,
    mounts_at,
    parts_of,
    process_of,
    processes_of,
    run,
    wait_until,
    watched,
)

MIB = 1 << 20
needs_s3 = pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")


def kill(mount_point: pathlib.Path, part: str) -> None:
    """Waits until there is another one."""
    process = process_of(mount_point, part)
    os.kill(process, signal.SIGKILL)

    def is_replaced() -> bool:
        parts = parts_of(mount_point)  # a process that is being started still has its starter's words
        servers = sum(each.endswith("server") for each in parts.values())
        return process not in parts and len(parts) == 2 and servers == 1

    wait_until(is_replaced)


def drop_pages(file: int) -> None:
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


@pytest.mark.parametrize("part", ["server", "supervisor"])
def test_what_is_open_goes_on(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path, part: str) -> None:
    wanted = (small_tree / "sub/deep/c.bin").read_bytes()
    with mounted(host, mount_point, str(small_tree)):
        folder = os.open(mount_point / "sub", os.O_RDONLY)
        before = os.stat(mount_point / "sub/b.bin")
        with open(mount_point / "sub/deep/c.bin", "rb", buffering=0) as file, os.scandir(mount_point) as entries:
            assert file.read(MIB) == wanted[:MIB]
            names = {next(entries).name}
            kill(mount_point, part)
            drop_pages(file.fileno())
            assert os.pread(file.fileno(), len(wanted), 0) == wanted
            assert file.read(MIB) == wanted[MIB : 2 * MIB]
            assert names | {entry.name for entry in entries} == set(os.listdir(small_tree))
        assert sorted(os.listdir(folder)) == ["b.bin", "deep"]
        assert os.stat("b.bin", dir_fd=folder).st_mtime_ns == before.st_mtime_ns
        os.close(folder)
        assert contents(mount_point) == contents(small_tree)


def test_what_was_being_written_is_lost_and_says_so(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    """Its bytes went with the process; the store has what it had, and all else goes on."""
    before = contents(small_tree)
    with mounted(host, mount_point, str(small_tree)):
        new = os.open(mount_point / "new", os.O_RDWR | os.O_CREAT)
        old = os.open(mount_point / "sub" / "b.bin", os.O_RDWR)
        os.write(new, b"x" * 5000)
        os.write(old, b"x" * 50)
        reader = os.open(mount_point / "new", os.O_RDONLY)
        assert os.read(reader, 3) == b"xxx"
        kill(mount_point, "server")
        for call in (
            lambda: os.write(new, b"more"),
            lambda: os.pread(new, 10, 0),
            lambda: os.pread(old, 10, 0),
            lambda: os.pread(reader, 10, 0),
            lambda: os.ftruncate(new, 4096),
            lambda: os.ftruncate(old, 100),
            lambda: os.fsync(new),
            lambda: os.close(new),
            lambda: os.close(old),
        ):
            assert errno_of(call) == errno.EIO
        os.close(reader)
        assert contents(small_tree) == before
        (mount_point / "new").write_bytes(b"again")
        with open(mount_point / "sub" / "b.bin", "ab") as file:
            file.write(b"again")
        os.rename(mount_point / "new", mount_point / "sub" / "new")
    assert (small_tree / "sub" / "new").read_bytes() == b"again"
    assert (small_tree / "sub" / "b.bin").read_bytes()[5000:] == b"again"


def test_one_after_the_other(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    """Until none of those that were there at first is left, twice; then it is unmounted as ever."""
    with watched(mount_point):
        assert host.run("fuse", str(mount_point), str(small_tree)).returncode == 0
        assert sorted(parts_of(mount_point).values()) == ["first", "server"]
        with open(mount_point / "sub/deep/c.bin", "rb") as file:
            for part in ("supervisor", "server", "supervisor", "server"):
                kill(mount_point, part)
                drop_pages(file.fileno())
                assert os.pread(file.fileno(), 10, MIB) == (small_tree / "sub/deep/c.bin").read_bytes()[MIB : MIB + 10]
            assert sorted(parts_of(mount_point).values()) == ["server", "supervisor"]
        assert host.run("unmount", str(mount_point)).returncode == 0
        wait_until(lambda: not processes_of(mount_point))
        assert mounts_at(mount_point) == [] and os.listdir(mount_point) == []


@needs_s3
@pytest.mark.parametrize("daemon", [False, True])
def test_programs_that_copy_and_list_go_on(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, mount_point: pathlib.Path, tmp_path: pathlib.Path,
    daemon: bool,
) -> None:
    host.environment.update(bucket.environment())
    if daemon:
        host.start()
    with mounted(host, mount_point, "s3://photos"):
        names = run("ls", "-R", cwd=photos)
        for part in ("server", "supervisor", "server"):
            copies = tmp_path / part
            programs = [
                subprocess.Popen(["cp", "-r", mount_point, copies]),
                subprocess.Popen(["ls", "-R"], cwd=mount_point, stdout=subprocess.PIPE),
            ]
            wait_until(copies.exists)
            kill(mount_point, part)
            output, _ = programs[1].communicate(timeout=PATIENCE_S)
            assert programs[0].wait(PATIENCE_S) == 0
            assert programs[1].returncode == 0 and output == names
            run("diff", "-r", photos, copies)
            run("rm", "-r", copies)


@needs_s3
@pytest.mark.parametrize("daemon", [False, True])
def test_a_read_that_waits_for_a_store_is_answered(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, mount_point: pathlib.Path, daemon: bool
) -> None:
    """By the next server, which asks the store itself."""
    host.environment.update(bucket.environment())
    with gated_proxy.gated_proxy(bucket.port, ".jpg") as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        if daemon:
            host.start()
        with mounted(host, mount_point, "s3://photos", "--threads", "3", "--trust", "1h"):
            names = sorted(mount_point.rglob("*.jpg"))[:6]
            readers = [subprocess.Popen(["cat", name], stdout=subprocess.PIPE) for name in names]
            wait_until(lambda: len(proxy.held) >= 2)
            kill(mount_point, "server")
            assert (mount_point / "class1").is_dir(), "names are answered meanwhile"
            assert [each.poll() for each in readers] == [None] * 6
            proxy.open()
            for name, reader in zip(names, readers, strict=True):
                output, _ = reader.communicate(timeout=PATIENCE_S)
                assert reader.returncode == 0
                assert output == (photos / name.relative_to(mount_point)).read_bytes()


@needs_s3
def test_a_program_that_waits_can_be_stopped_after_a_kill(
    host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    host.environment.update(bucket.environment(), FOREBAY_DAEMON="off")
    with gated_proxy.gated_proxy(bucket.port, ".jpg") as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        with mounted(host, mount_point, "s3://photos", "--trust", "1h"):
            reader = subprocess.Popen(["cat", sorted(mount_point.rglob("*.jpg"))[0]], stdout=subprocess.PIPE)
            wait_until(lambda: len(proxy.held) >= 1)
            kill(mount_point, "server")
            reader.terminate()
            reader.communicate(timeout=PATIENCE_S)
            assert reader.returncode == -signal.SIGTERM
        proxy.open()


@needs_s3
def test_reads_go_on_when_the_daemon_was_killed(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, mount_point: pathlib.Path
) -> None:
    """Also those that waited for it."""
    host.environment.update(bucket.environment(), FOREBAY_DAEMON="running")
    with gated_proxy.gated_proxy(bucket.port, "000.jpg") as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        host.start()
        with mounted(host, mount_point, "s3://photos", "--trust", "1h"):
            near = mount_point / "class1/001.jpg"
            with open(near, "rb") as file, subprocess.Popen(
                ["cat", mount_point / "class0/000.jpg"], stdout=subprocess.PIPE
            ) as reader:
                assert file.read() == (photos / "class1/001.jpg").read_bytes()
                wait_until(lambda: len(proxy.held) >= 1)
                host.end(signal.SIGKILL)
                drop_pages(file.fileno())
                assert os.pread(file.fileno(), MIB, 0) == (photos / "class1/001.jpg").read_bytes()
                assert (mount_point / "class2/002.jpg").read_bytes() == (photos / "class2/002.jpg").read_bytes()
                proxy.open()
                output, _ = reader.communicate(timeout=PATIENCE_S)
                assert output == (photos / "class0/000.jpg").read_bytes()
            assert contents(mount_point) == contents(photos)


def test_servers_that_always_end_take_the_mount_along(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    mount = Mount(host, mount_point, str(small_tree))
    try:
        for _ in range(5):
            wait_until(lambda: any("server" in part for part in parts_of(mount_point).values()))
            server = process_of(mount_point, "server")
            os.kill(server, signal.SIGKILL)
            wait_until(lambda: server not in processes_of(mount_point))
        assert mount.process.wait(PATIENCE_S) == 1
        assert mounts_at(mount_point) == [] and processes_of(mount_point) == []
        assert "ended 5 times within 10 s" in mount.errors()
    finally:
        mount.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("part", ["server", "supervisor"])
def test_a_signal_to_either_ends_the_mount(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path, part: str, how: int
) -> None:
    mount = Mount(host, mount_point, str(small_tree))
    try:
        kill(mount_point, "supervisor")
        with open(mount_point / "a.bin", "rb"):
            os.kill(process_of(mount_point, part), how)
            wait_until(lambda: not processes_of(mount_point))
            assert mounts_at(mount_point) == [] and os.listdir(mount_point) == []
    finally:
        mount.close()


def test_a_server_that_does_not_go_is_not_waited_for(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    """Nor is it left. It is stopped here, as one that hangs."""
    mount = Mount(host, mount_point, str(small_tree))
    try:
        server = process_of(mount_point, "server")
        os.kill(server, signal.SIGSTOP)
        mount.process.terminate()
        wait_until(lambda: mounts_at(mount_point) == [])
        os.kill(server, signal.SIGKILL)
        assert mount.process.wait(PATIENCE_S) == 0
        assert processes_of(mount_point) == []
    finally:
        mount.close()
