"""Mounts of `forebay fuse`: how they come, and what is left when they go."""

from __future__ import annotations

import errno
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import daemon_host
import gated_proxy
import pytest
import s3_server
from daemon_host import Host
from mounted import (
    PATIENCE_S,
    Mount,
    clear,
    contents,
    end_with_test,
    errno_of,
    kill_all,
    mounted,
    mounts_at,
    parts_of,
    processes_of,
    wait_until,
    watched,
    with_default_signals,
)

MIB = 1 << 20


def test_unmount_leaves_nothing(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    mount = Mount(host, mount_point, str(small_tree))
    try:
        assert mounts_at(mount_point) == ["fuse.forebay"]
        with open(mount_point / "a.bin", "rb"):
            refused = host.run("unmount", str(mount_point))
            assert refused.returncode == 1 and "programs use it" in refused.stderr
        done = host.run("unmount", str(mount_point))
        assert done.returncode == 0, done.stderr
        assert mount.process.wait(PATIENCE_S) == 0
        assert mounts_at(mount_point) == [] and os.listdir(mount_point) == []
        again = host.run("unmount", str(mount_point))
        assert again.returncode == 1 and "nothing is mounted" in again.stderr
    finally:
        mount.close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_whoever_reads(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path, how: int
) -> None:
    mount = Mount(host, mount_point, str(small_tree))
    try:
        with open(mount_point / "sub/deep/c.bin", "rb", buffering=0) as file:
            assert file.read(1)
            assert mount.end(how) == 0
            assert mounts_at(mount_point) == []
            assert errno_of(lambda: os.pread(file.fileno(), 10, 2 * MIB)) in (errno.ENOTCONN, errno.ECONNABORTED)
        assert os.listdir(mount_point) == []
    finally:
        mount.close()


def test_force_takes_it_from_under_readers(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    mount = Mount(host, mount_point, str(small_tree))
    try:
        with open(mount_point / "sub/deep/c.bin", "rb") as file:
            assert host.run("unmount", "--force", str(mount_point)).returncode == 0
            assert mounts_at(mount_point) == []
            assert file.read() == (small_tree / "sub/deep/c.bin").read_bytes(), "who has it open goes on"
        assert mount.process.wait(PATIENCE_S) == 0
    finally:
        mount.close()


def test_a_mount_whose_processes_were_killed_is_removed(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    """Both at once."""
    mount = Mount(host, mount_point, str(small_tree))
    try:
        kill_all(mount_point)
        assert mount.process.wait(PATIENCE_S) == -signal.SIGKILL
        wait_until(lambda: not processes_of(mount_point))
        assert errno_of(lambda: os.listdir(mount_point)) in (errno.ENOTCONN, errno.ECONNABORTED)
        refused = host.run("fuse", str(mount_point), str(small_tree))
        assert refused.returncode == 1 and "forebay unmount" in refused.stderr
        assert host.run("unmount", str(mount_point)).returncode == 0
        assert mounts_at(mount_point) == []
    finally:
        mount.close()


def test_in_the_background(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    with watched(mount_point):
        done = host.run("fuse", str(mount_point), str(small_tree))
        assert done.returncode == 0, done.stderr
        assert contents(mount_point) == contents(small_tree)
        assert sorted(parts_of(mount_point).values()) == ["first", "server"]
        assert host.run("unmount", str(mount_point)).returncode == 0
        wait_until(lambda: not processes_of(mount_point))
        assert mounts_at(mount_point) == []


def test_a_second_mount_at_one_place_is_refused(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    with mounted(host, mount_point, str(small_tree)):
        for words in ((), ("--foreground",)):
            refused = host.run("fuse", *words, str(mount_point), str(small_tree / "sub"))
            assert refused.returncode == 1 and f"{small_tree} is mounted there already" in refused.stderr
        assert mounts_at(mount_point) == ["fuse.forebay"]


def test_a_mount_that_was_moved_ends_with_its_process(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    """With the folder above it, which may be renamed."""
    before, now = mount_point / "before", mount_point / "now"
    before.mkdir()
    mount = Mount(host, before / "mount", str(small_tree))
    try:
        before.rename(now)
        assert mounts_at(now / "mount") == ["fuse.forebay"]
        assert mount.end() == 0
        assert mounts_at(now / "mount") == []
    finally:
        mount.close()
        clear(now / "mount")


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
def test_a_mount_whose_starter_was_stopped_goes(
    host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    """Nobody would know of it."""
    host.environment.update(bucket.environment(), FOREBAY_DAEMON="off")
    assert daemon_host.PROGRAM is not None
    with gated_proxy.gated_proxy(bucket.port, "") as proxy, watched(mount_point):
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        words = [daemon_host.PROGRAM, "fuse", str(mount_point), "s3://photos"]
        starter = subprocess.Popen(words, env=host.environment)
        wait_until(lambda: len(proxy.held) >= 1)
        starter.kill()
        starter.wait(PATIENCE_S)
        proxy.open()
        wait_until(lambda: not processes_of(mount_point))
        assert mounts_at(mount_point) == []


def test_a_mount_outlives_who_reads_its_messages(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    assert daemon_host.PROGRAM is not None
    words = [daemon_host.PROGRAM, "fuse", "--foreground", str(mount_point), str(small_tree)]
    with watched(mount_point):
        process = subprocess.Popen(words, env=host.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=end_with_test)
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        wait_until(lambda: mounts_at(mount_point) != [])
        assert contents(mount_point) == contents(small_tree)
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert mounts_at(mount_point) == []


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_it_is_mounted_without_standard_streams(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path, closed: str
) -> None:
    assert daemon_host.PROGRAM is not None
    words = ["sh", "-c", f'exec "$@" {closed}', "sh", daemon_host.PROGRAM, "fuse", str(mount_point), str(small_tree)]
    with watched(mount_point):
        done = subprocess.run(words, env=host.environment, check=False, timeout=PATIENCE_S)
        assert done.returncode == 0, (pathlib.Path(host.environment["FOREBAY_HOME"]) / "fuse.log").read_text()
        assert contents(mount_point) == contents(small_tree)
        assert host.run("unmount", str(mount_point)).returncode == 0


def test_more_signals_than_one_leave_no_mount(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    mount = Mount(host, mount_point, str(small_tree))
    try:
        for _ in range(20):
            mount.process.send_signal(signal.SIGTERM)
        assert mount.process.wait(PATIENCE_S) == 0
        assert mounts_at(mount_point) == []
    finally:
        mount.close()


def test_what_cannot_be_mounted_is_said(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    link = mount_point.parent / "link"
    link.symlink_to(small_tree)
    for arguments, cause in (
        ((str(mount_point), str(small_tree / "none")), "no such object or folder"),
        ((str(mount_point), str(small_tree / "a.bin")), "this is an object"),
        ((str(mount_point / "none"), str(small_tree)), "No such file or directory"),
        ((str(small_tree / "a.bin"), str(small_tree / "sub")), "not a directory"),
        ((str(mount_point), "nonsense://x/y"), "nonsense"),
        ((str(mount_point), str(mount_point.parent)), "so itself"),
        ((str(small_tree), str(small_tree / "sub")), "would hide"),
        ((str(link), str(small_tree / "sub")), "would hide"),
        ((str(mount_point), str(small_tree), "--allow-other"), "cannot be mounted with --allow-other"),
    ):
        for words in ((), ("--foreground",)):
            refused = host.run("fuse", *words, *arguments)
            assert refused.returncode == 1 and cause in refused.stderr, refused.stderr
            assert mounts_at(mount_point) == []
            wait_until(lambda: not processes_of(mount_point))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
@pytest.mark.parametrize("allowed", [False, True])
def test_other_users_read_where_they_may(
    host: Host, bucket: s3_server.S3Server, photos: pathlib.Path, mount_point: pathlib.Path, allowed: bool
) -> None:
    assert mount_point.is_dir()  # something may be mounted
    host.environment.update(bucket.environment())
    name = "class0/000.jpg"
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = pathlib.Path(folder) / "mount"
        with mounted(host, path, "s3://photos", *(["--allow-other"] if allowed else [])):
            words = ["cat", str(path / name)]
            done = subprocess.run(words, capture_output=True, check=False, user=65534, group=65534)
            assert done.returncode == (0 if allowed else 1)
            assert done.stdout == ((photos / name).read_bytes() if allowed else b"")


def test_mounts_of_both_kinds_are_told_apart(host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path) -> None:
    assert host.run("mount", str(mount_point), f"file://{small_tree}").returncode == 0
    with mounted(host, mount_point, f"file://{small_tree}"):
        refused = host.run("unmount", str(mount_point))
        assert refused.returncode == 1 and "--fuse" in refused.stderr
        assert host.run("unmount", "--fuse", str(mount_point)).returncode == 0
        assert mounts_at(mount_point) == []
        refused = host.run("unmount", "--fuse", str(mount_point))
        assert refused.returncode == 1 and "no mount of `forebay fuse`" in refused.stderr
        assert str(mount_point) in host.run("mount").stdout
        assert host.run("unmount", str(mount_point)).returncode == 0
        assert host.run("mount").stdout == ""


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root and unshare")
def test_names_are_unmounted_also_where_nothing_says_what_is_mounted(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path
) -> None:
    assert host.run("mount", "/train", f"file://{small_tree}").returncode == 0
    assert daemon_host.PROGRAM is not None
    hide = 'mount -t tmpfs none /proc && exec "$@"'
    words = ["unshare", "-m", "sh", "-c", hide, "sh", daemon_host.PROGRAM, "unmount"]
    for arguments, cause in ((["--fuse", str(mount_point)], "mountinfo"), (["/train"], "")):
        done = subprocess.run([*words, *arguments], env=host.environment, capture_output=True, text=True, check=False,
                              timeout=PATIENCE_S)
        assert done.returncode == (1 if cause else 0) and cause in done.stderr, done.stderr
    assert host.run("mount").stdout == ""


def test_a_mount_that_shows_itself_ends(
    host: Host, small_tree: pathlib.Path, mount_point: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """It would wait for itself, at each level further down."""
    assert host.run("mount", "/all", f"file://{tmp_path}").returncode == 0
    with mounted(host, mount_point, "--threads", "2"):
        shown = mount_point / "all"
        assert contents(shown / small_tree.name) == contents(small_tree)
        assert errno_of(lambda: os.listdir(shown / mount_point.name)) in (errno.ELOOP, errno.ENOENT)
        assert errno_of((shown / mount_point.name / "all" / "x").stat) in (errno.ELOOP, errno.ENOENT)
        assert contents(shown / small_tree.name) == contents(small_tree)


def readers(mount_point: pathlib.Path, count: int) -> list[subprocess.Popen[bytes]]:
    """Programs that each read another photograph."""
    names = sorted(mount_point.rglob("*.jpg"))[:count]
    return [subprocess.Popen(["cat", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             preexec_fn=with_default_signals) for name in names]


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
@pytest.mark.parametrize("daemon", [False, True])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_programs_that_wait_for_a_store_can_be_stopped(
    host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path, how: int, daemon: bool
) -> None:
    """More of them than there are threads, so that some wait in the queue; names are answered meanwhile."""
    host.environment.update(bucket.environment())
    with gated_proxy.gated_proxy(bucket.port, ".jpg") as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        if daemon:
            host.start()
        with mounted(host, mount_point, "s3://photos", "--threads", "3", "--trust", "1h"):
            waiting = readers(mount_point, 6)
            wait_until(lambda: len(proxy.held) >= 2)
            for process in waiting:
                process.send_signal(how)
            for process in waiting:
                process.communicate(timeout=PATIENCE_S)
                assert process.returncode == -how
            proxy.open()
            assert len(contents(mount_point)) == 37


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
def test_the_end_of_a_mount_ends_who_waits(
    host: Host, bucket: s3_server.S3Server, mount_point: pathlib.Path
) -> None:
    host.environment.update(bucket.environment())
    with gated_proxy.gated_proxy(bucket.port, ".jpg") as proxy:
        host.environment["AWS_ENDPOINT_URL"] = proxy.url
        mount = Mount(host, mount_point, "s3://photos", "--threads", "3", "--trust", "1h")
        try:
            waiting = readers(mount_point, 6)
            wait_until(lambda: len(proxy.held) >= 2)
            assert mount.end() == 0
            for process in waiting:
                output, errors = process.communicate(timeout=PATIENCE_S)
                assert process.returncode == 1 and output == b"" and errors
            assert mounts_at(mount_point) == []
        finally:
            mount.close()
            proxy.open()
