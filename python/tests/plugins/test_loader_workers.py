"""Workers of PyTorch's DataLoader, forked and spawned after their parent has read, read through forebay.filesystem too."""

from __future__ import annotations

import collections.abc
import hashlib
import pathlib
import subprocess
import sys

import daemon_host
import pytest
import s3_server
import web_server
from daemon_host import Host

pytest.importorskip("torch")
pytest.importorskip("fsspec")

METHODS = ["fork", "spawn", "forkserver"]
NIGHTLY = [pytest.param(method, marks=pytest.mark.nightly) for method in METHODS[1:]]
needs_web = pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed")
needs_program = pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python")


def names_of(photos: pathlib.Path) -> list[str]:
    return [str(path.relative_to(photos)) for path in sorted(photos.rglob("*.jpg"))]


def load(host: Host, photos: pathlib.Path, method: str, root: str) -> None:
    """Reads all photographs below `root` by workers, and compares."""
    names = names_of(photos)
    expected = hashlib.sha256(b"".join((photos / name).read_bytes() for name in names)).hexdigest()
    urls = [f"{root}/{name}" for name in names]
    done = subprocess.run([sys.executable, "-P", "-m", "loader_workers", method, *urls], env=host.environment,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["2", expected]


@pytest.mark.parametrize("method", ["fork", *NIGHTLY])
def test_local_files(host: Host, photos: pathlib.Path, method: str) -> None:
    load(host, photos, method, f"forebay://{photos}")


@needs_web
@pytest.mark.parametrize("method", ["fork", *NIGHTLY])
def test_files_of_a_web_server(
    host: Host, server: web_server.WebServer, photos: pathlib.Path, method: str
) -> None:
    load(host, photos, method, server.url().removesuffix("/"))


@needs_web
@needs_program
@pytest.mark.parametrize("method", METHODS)
def test_all_processes_share_the_cache_of_the_host(
    host: Host, server: web_server.WebServer, photos: pathlib.Path, method: str
) -> None:
    host.start()
    mounted = host.run("mount", "/far", server.url())
    assert mounted.returncode == 0, mounted.stderr
    load(host, photos, method, "forebay:///far")
    assert host.status()["upstream_bytes"] == sum(path.stat().st_size for path in photos.rglob("*.jpg"))


@pytest.fixture(scope="module")
def buckets(
    tmp_path_factory: pytest.TempPathFactory, photos: pathlib.Path
) -> collections.abc.Iterator[s3_server.S3Server]:
    started = s3_server.S3Server(tmp_path_factory.mktemp("s3"))
    started.put_folder("photos", photos)
    yield started
    started.stop()


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
@pytest.mark.parametrize("method", ["fork", *NIGHTLY])
def test_objects_of_a_bucket(host: Host, buckets: s3_server.S3Server, photos: pathlib.Path, method: str) -> None:
    host.environment.update(buckets.environment())
    load(host, photos, method, "s3://photos")
