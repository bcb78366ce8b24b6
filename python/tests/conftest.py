"""What tests share: small photographs, in folders that are their classes; a server of them; a host with a daemon."""

from __future__ import annotations

import collections.abc
import contextlib
import os
import pathlib
import random
import signal
from typing import TYPE_CHECKING

import pytest
import s3_server
import web_server
from daemon_host import Host
from mounted import clear, processes_of, why_not
from photographs import make_photo

if TYPE_CHECKING:
    from conformance import Library


@pytest.fixture(scope="session")
def photos(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """37 JPEG files of different sizes in three folders."""
    root = tmp_path_factory.mktemp("photos")
    for number in range(37):
        folder = root / f"class{number % 3}"
        folder.mkdir(exist_ok=True)
        make_photo(folder / f"{number:03}.jpg", number, 40 + number % 7 * 8, 32 + number % 5 * 8)
    return root


@pytest.fixture
def broken_photos(tmp_path: pathlib.Path) -> pathlib.Path:
    """20 files: number 3 cut off, number 8 empty, number 12 no picture."""
    folder = tmp_path / "class0"
    folder.mkdir()
    for number in range(20):
        make_photo(folder / f"{number:03}.jpg", number, 64, 48)
    cut = folder / "003.jpg"
    cut.write_bytes(cut.read_bytes()[:400])
    (folder / "008.jpg").write_bytes(b"")
    (folder / "012.jpg").write_bytes(b"this is no picture at all" * 10)
    return tmp_path


@pytest.fixture
def host(tmp_path: pathlib.Path) -> collections.abc.Iterator[Host]:
    """A host of its own; a daemon that a test has started ends with the test."""
    made = Host(tmp_path / "home")
    yield made
    if made.daemon is not None and made.daemon.poll() is None:
        made.end(signal.SIGKILL)


@pytest.fixture
def server(tmp_path: pathlib.Path, photos: pathlib.Path) -> collections.abc.Iterator[web_server.WebServer]:
    """The photographs by HTTP, with listings; what was asked for is in web/requests."""
    (tmp_path / "web").mkdir()
    lines = f"autoindex on; autoindex_format json; access_log {tmp_path}/web/requests;"
    started = web_server.WebServer(photos, tmp_path / "web", lines)
    yield started
    started.stop()


@pytest.fixture
def bucket(tmp_path: pathlib.Path, photos: pathlib.Path) -> collections.abc.Iterator[s3_server.S3Server]:
    """The photographs in the bucket "photos" of a service."""
    (tmp_path / "s3").mkdir()
    started = s3_server.S3Server(tmp_path / "s3")
    started.put_folder("photos", photos)
    yield started
    started.stop()


@pytest.fixture(scope="session")
def why_no_mount(tmp_path_factory: pytest.TempPathFactory) -> str:
    return why_not(tmp_path_factory.mktemp("fuse"))


@pytest.fixture
def mount_point(why_no_mount: str, tmp_path: pathlib.Path) -> collections.abc.Iterator[pathlib.Path]:
    """An empty folder to mount on, which no mount outlives."""
    if why_no_mount:
        pytest.skip(why_no_mount)
    folder = tmp_path / "mount"
    folder.mkdir()
    yield folder
    for process in processes_of(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)
    clear(folder)


@pytest.fixture
def small_tree(tmp_path: pathlib.Path) -> pathlib.Path:
    """Files of some sizes, up to three MiB, in folders."""
    root = tmp_path / "tree"
    draw = random.Random(1)
    for name, size in (("a.bin", 1), ("empty", 0), ("sub/b.bin", 5000), ("sub/deep/c.bin", (3 << 20) + 17), ("x/d", 7)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(draw.randbytes(size))
    return root


@pytest.fixture(scope="session")
def numbered_files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Twelve small photographs."""
    folder = tmp_path_factory.mktemp("position")
    for number in range(12):
        make_photo(folder / f"{number:02}.jpg", number, 16, 12)
    return sorted(map(str, folder.iterdir()))


@pytest.fixture(scope="session")
def numbered_broken_files(numbered_files: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Number 2 is none."""
    broken = tmp_path_factory.mktemp("broken") / "02.jpg"
    broken.write_bytes(b"not a photograph")
    return [*numbered_files[:2], str(broken), *numbered_files[3:]]


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> collections.abc.Iterator[dict[str, Library]]:
    """The data sets of the suite over all sources, by places: local files, and S3 where versitygw is installed."""
    import conformance

    made = {"local": conformance.Library(conformance.LocalPlace(tmp_path_factory.mktemp("sets")))}
    if s3_server.program() is None:
        yield made
        return
    place = conformance.S3Place(tmp_path_factory.mktemp("s3"))
    try:
        yield made | {"S3": conformance.Library(place)}
    finally:
        place.server.stop()


@pytest.fixture
def library(
    request: pytest.FixtureRequest, libraries: dict[str, Library], monkeypatch: pytest.MonkeyPatch
) -> Library:
    """Those of the place that is the test's parameter."""
    if request.param not in libraries:
        pytest.skip("versitygw is not installed")
    found = libraries[request.param]
    for name, value in found.place.environment().items():
        monkeypatch.setenv(name, value)
    return found
