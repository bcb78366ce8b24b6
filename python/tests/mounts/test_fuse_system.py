"""Mounts that the system makes: from /etc/fstab by mount(8), and as a service of systemd."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import socket
import subprocess

import daemon_host
import pytest
from daemon_host import Host
from mounted import LONGEST_S, Mount, end_with_test, mounts_at, watched

UNIT = pathlib.Path(__file__).parents[3] / "packaging" / "forebay-mount@.service"

# In a namespace of its own: /usr/sbin has the helper that mount(8) calls, and nobody else sees it.
SCRIPT = """
set -e
mount -t overlay overlay -o "lowerdir=/usr/sbin,upperdir=$1/upper,workdir=$1/work" /usr/sbin
ln -sfn "$2" /usr/sbin/mount.forebay
mount -T "$1/fstab" "$1/mount"
cat "$1/mount/sub/b.bin" | cmp - "$1/tree/sub/b.bin"
! touch "$1/mount/new" 2>/dev/null
umount "$1/mount"
"""


def why_no_overlay(folder: pathlib.Path) -> str:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return "only root has namespaces of its own"
    for name in ("lower", "upper", "work"):
        (folder / name).mkdir(parents=True)
    command = f"mount -t overlay overlay -o lowerdir={folder}/lower,upperdir={folder}/upper,workdir={folder}/work {folder}/lower"
    done = subprocess.run(["unshare", "--mount", "sh", "-c", command], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"no overlay can be mounted: {done.stderr.strip()}"


def fstab(folder: pathlib.Path, host: Host, options: str) -> None:
    home = host.environment["FOREBAY_HOME"]
    (folder / "fstab").write_text(f"{folder}/tree {folder}/mount forebay {options},home={home} 0 0\n")


def run_mount(folder: pathlib.Path, host: Host) -> subprocess.CompletedProcess[str]:
    assert daemon_host.PROGRAM is not None
    for name in ("upper", "work"):
        (folder / name).mkdir(exist_ok=True)
    environment = {**host.environment, "FOREBAY_HOME": "/nonexistent"}
    words = ["unshare", "--mount", "sh", "-c", SCRIPT, "sh", str(folder), daemon_host.PROGRAM]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=LONGEST_S,
                          preexec_fn=end_with_test)


def test_a_line_of_fstab_is_mounted(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path, small_tree: pathlib.Path
) -> None:
    reason = why_no_overlay(tmp_path / "try")
    if reason:
        pytest.skip(reason)
    fstab(tmp_path, host, "ro,noauto,_netdev,trust=1h")
    with watched(mount_point):
        done = run_mount(tmp_path, host)
        assert done.returncode == 0, done.stderr
    fstab(tmp_path, host, "ro,noauto,trsut=1h")
    with watched(mount_point):
        done = run_mount(tmp_path, host)
    assert done.returncode == 1
    assert "trsut=1h" in done.stderr
    assert "patience=TIME" in done.stderr


def test_a_service_manager_hears_when_it_answers(
    host: Host, tmp_path: pathlib.Path, mount_point: pathlib.Path, small_tree: pathlib.Path
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hearing:
        hearing.bind(str(tmp_path / "notify"))
        hearing.settimeout(LONGEST_S)
        host.environment["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        mount = Mount(host, mount_point, str(small_tree))
        try:
            assert hearing.recv(100) == b"READY=1"
            assert mounts_at(mount_point) == ["fuse.forebay"]
            assert mount.end(signal.SIGTERM) == 0
        finally:
            mount.close()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_the_unit(tmp_path: pathlib.Path) -> None:
    """With a program that is there in the place of the one that an installed package has."""
    unit = tmp_path / "forebay-mount@mnt-train.service"
    unit.write_text(UNIT.read_text().replace("/usr/bin/forebay", "/usr/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False,
                          timeout=LONGEST_S)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    broken = tmp_path / "forebay-mount@broken.service"
    broken.write_text(UNIT.read_text().replace("Type=notify", "Type=nothing"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", broken], capture_output=True, text=True,
                          check=False, timeout=LONGEST_S)
    assert "nothing" in done.stderr
