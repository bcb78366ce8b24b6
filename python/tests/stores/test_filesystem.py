"""forebay.filesystem: the namespace as fsspec sees it, held against fsspec's own tests of file systems."""

from __future__ import annotations

import errno
import io
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from typing import Any

import pytest
from stalling_server import stalling_server

fsspec = pytest.importorskip("fsspec")
abstract = pytest.importorskip("fsspec.tests.abstract")

from forebay import _core, filesystem  # noqa: E402

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
needs_program = pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python")


class Fixtures(abstract.AbstractFixtures):  # type: ignore[misc, name-defined]
    @pytest.fixture(scope="class")
    def fs(self) -> Any:
        return fsspec.filesystem("forebay")

    @pytest.fixture
    def fs_path(self, tmpdir: Any) -> str:
        return str(tmpdir.mkdir("remote"))

    @pytest.fixture
    def local_path(self, tmpdir: Any) -> str:
        return str(tmpdir.mkdir("local"))


class TestCopy(abstract.AbstractCopyTests, Fixtures):  # type: ignore[misc, name-defined]
    pass


class TestGet(abstract.AbstractGetTests, Fixtures):  # type: ignore[misc, name-defined]
    pass


class TestPut(abstract.AbstractPutTests, Fixtures):  # type: ignore[misc, name-defined]
    pass


class TestOpen(abstract.AbstractOpenTests, Fixtures):  # type: ignore[misc, name-defined]
    pass


class TestPipe(abstract.AbstractPipeTests, Fixtures):  # type: ignore[misc, name-defined]
    pass


@pytest.fixture
def fs() -> Any:
    return filesystem.ForebayFileSystem()


def test_names(fs: Any) -> None:
    for given, name in {"forebay:///a/b/": "/a/b", "forebay://a/b": "/a/b", "/a/b": "/a/b", "a": "/a", "/": "/",
                        "forebay://": "/", "s3://b/k/": "s3://b/k", "mem://x": "mem://x"}.items():
        assert fs._strip_protocol(given) == name
    assert fs._parent("/a/b") == "/a" and fs._parent("/a") == "/" and fs._parent("s3://b/k") == "s3://b"
    assert fs.unstrip_protocol("/a/b") == "forebay:///a/b" and fs.unstrip_protocol("s3://b/k") == "s3://b/k"
    assert isinstance(fsspec.core.url_to_fs("forebay:///a")[0], filesystem.ForebayFileSystem)


@pytest.mark.parametrize("kind", ["files", "memory"])
def test_objects_of_any_store(fs: Any, kind: str, tmp_path: pathlib.Path) -> None:
    root = str(tmp_path) if kind == "files" else f"mem://filesystem-{tmp_path.name}"
    fs.pipe({f"{root}/d/a": b"0123456789", f"{root}/d/sub/b": b"xyz"})
    assert [entry["name"] for entry in fs.ls(f"{root}/d")] == [f"{root}/d/a", f"{root}/d/sub"]
    assert fs.info(f"{root}/d/a")["size"] == 10 and fs.isdir(f"{root}/d") and fs.isfile(f"{root}/d/a")
    assert fs.find(root) == [f"{root}/d/a", f"{root}/d/sub/b"]
    assert [entry["name"] for entry in fs.iterate(root)] == fs.find(root)
    assert fs.find(f"{root}/none") == [] and fs.du(root) == 13
    assert fs.cat_file(f"{root}/d/a", 2, 5) == b"234" and fs.cat_file(f"{root}/d/a", -3) == b"789"
    assert fs.cat_file(f"{root}/d/a", 2, -2) == b"234567" and fs.tail(f"{root}/d/a", 4) == b"6789"
    ranges = fs.cat_ranges([f"{root}/d/a", f"{root}/none", f"{root}/d/sub/b"], [1, 0, 1], [4, 1, 100])
    assert ranges[0] == b"123" and isinstance(ranges[1], FileNotFoundError) and ranges[2] == b"yz"
    with pytest.raises(FileNotFoundError):
        fs.cat_ranges([f"{root}/none"], 0, 1, on_error="raise")
    ends = fs.cat_ranges([f"{root}/d/a"] * 5, [0, 8, 20, -3, 2], [None, 100, 30, None, -2])
    assert ends == [b"0123456789", b"89", b"", b"789", b"234567"]
    whole = {f"{root}/d/a": b"0123456789", f"{root}/d/sub/b": b"xyz"}
    assert fs.cat(list(whole)) == fs.cat(root, recursive=True) == whole and fs.cat(f"{root}/d/*a") == fs.cat([f"{root}/d/a"])
    assert fs.cat([f"{root}/d/a", f"{root}/none"], on_error="omit") == {f"{root}/d/a": b"0123456789"}
    with pytest.raises(FileNotFoundError):
        fs.cat([f"{root}/d/a", f"{root}/none"])
    before = fs.ukey(f"{root}/d/a"), fs.checksum(f"{root}/d/a")
    assert before == (fs.ukey(f"{root}/d/a"), fs.checksum(f"{root}/d/a"))
    fs.pipe_file(f"{root}/d/a", b"9876543210")
    assert fs.ukey(f"{root}/d/a") != before[0] and fs.checksum(f"{root}/d/a") != before[1]
    fs.mv(f"{root}/d/a", f"{root}/d/c")
    fs.cp(f"{root}/d/c", f"{root}/e")
    assert fs.cat(f"{root}/e") == b"9876543210" and not fs.exists(f"{root}/d/a")
    with pytest.raises(IsADirectoryError):
        fs.rm(f"{root}/d")
    fs.rm(f"{root}/d", recursive=True)
    assert fs.find(root) == [f"{root}/e"]
    fs.mkdir(f"{root}/new")  # nothing to make where there are no folders
    for call in (fs.info, fs.ls, fs.cat_file, fs.rm_file):
        with pytest.raises(FileNotFoundError):
            call(f"{root}/none")


def test_files_are_read_and_written_in_parts(fs: Any, tmp_path: pathlib.Path) -> None:
    content = os.urandom(3_000_000)
    with fs.open(tmp_path / "big", "wb", block_size=1 << 20) as file:
        for start in range(0, len(content), 70_000):
            file.write(content[start : start + 70_000])
        assert not (tmp_path / "big").exists()  # until it is whole
    assert (tmp_path / "big").read_bytes() == content
    with fs.open(tmp_path / "big", "rb") as file:
        file.seek(1_000_000)
        assert file.read(10) == content[1_000_000:1_000_010]
        assert file.seek(-5, io.SEEK_END) and file.read() == content[-5:]
    with fs.open(tmp_path / "empty", "wb"):
        pass
    assert (tmp_path / "empty").read_bytes() == b""
    with fs.open(tmp_path / "text", "w") as file:
        file.write("line\n")
    assert fs.read_text(tmp_path / "text") == "line\n"
    with pytest.raises(NotImplementedError, match="as a whole"):
        fs.open(tmp_path / "big", "ab")


OPENERS = {
    "bytes": lambda fs, path: fs.open(path, "wb", block_size=1 << 20),
    "text": lambda fs, path: fs.open(path, "w", block_size=1 << 20),
    "url": lambda fs, path: fsspec.open(f"forebay://{path}", "wb"),
    "url of text": lambda fs, path: fsspec.open(f"forebay://{path}", "wt"),
    "url of gzip": lambda fs, path: fsspec.open(f"forebay://{path}", "wt", compression="gzip"),
}


@pytest.mark.parametrize("opener", OPENERS)
@pytest.mark.parametrize("size", [3, 12 << 20])
def test_a_block_that_fails_leaves_what_was_there(fs: Any, tmp_path: pathlib.Path, opener: str, size: int) -> None:
    (tmp_path / "kept").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), OPENERS[opener](fs, tmp_path / "kept") as file:
        file.write("x" * size if "text" in opener or opener == "url of gzip" else os.urandom(size))
        raise ZeroDivisionError
    assert (tmp_path / "kept").read_bytes() == b"old" and os.listdir(tmp_path) == ["kept"]


def test_a_block_within_a_handler_is_written(fs: Any, tmp_path: pathlib.Path) -> None:
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        with fsspec.open(f"forebay://{tmp_path}/report", "w") as file:
            file.write("failed")
    assert (tmp_path / "report").read_text() == "failed"


def test_a_file_is_of_one_version(fs: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "f").write_bytes(bytes(20 << 20))
    with fs.open(tmp_path / "f", "rb", block_size=1 << 20) as file:
        file.read(10)
        (tmp_path / "f").write_bytes(bytes(21 << 20))
        file.seek(15 << 20)
        with pytest.raises(OSError, match="changed") as caught:
            file.read(10)
    assert caught.value.errno == errno.ESTALE


def test_errors_are_those_of_files(fs: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    with pytest.raises(FileExistsError):
        fs.pipe_file(str(tmp_path / "f"), b"y", mode="create")
    with pytest.raises(FileExistsError):
        fs.mkdir(tmp_path)
    fs.pipe_file(f"mem://filesystem-{tmp_path.name}/f", b"other")
    with pytest.raises(FileExistsError, match="already exists"):
        fs.mv(str(tmp_path / "f"), f"mem://filesystem-{tmp_path.name}/f")
    assert (tmp_path / "f").read_bytes() == b"x"
    with pytest.raises(ValueError, match="nosuch"):
        fs.info("nosuch://bucket/key")
    with pytest.raises(ValueError, match="'..'"):
        fs.info("forebay:///a/../b")


def test_names_may_hold_any_bytes(fs: Any, tmp_path: pathlib.Path) -> None:
    odd = os.fsdecode(b"odd \xff\n name")
    fs.pipe_file(f"{tmp_path}/{odd}", b"x")
    assert os.listdir(tmp_path) == [odd]
    assert fs.ls(tmp_path, detail=False) == [f"{tmp_path}/{odd}"]
    assert fs.cat(f"{tmp_path}/{odd}") == b"x"


def test_bytes_are_lent_not_copied(tmp_path: pathlib.Path) -> None:
    uri = f"mem://filesystem-{tmp_path.name}/lent"
    _core.store_write(uri, bytes(range(100)))
    before = _core.bytes_copied()
    lent = memoryview(_core.store_read(uri, 10, 20))
    assert bytes(lent) == bytes(range(10, 30)) and lent.readonly
    assert _core.bytes_copied() == before


def test_a_link_is_removed_and_not_what_it_leads_to(fs: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/link").symlink_to(tmp_path / "kept")
    fs.rm(str(tmp_path / "folder"), recursive=True)
    assert not (tmp_path / "folder").exists() and (tmp_path / "kept/file").exists()


@needs_program
def test_mounts_of_another_process_are_seen(fs: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/f").write_bytes(b"content")
    assert not fs.exists("/forebay test mount/f")
    subprocess.run([str(PROGRAM), "mount", "/forebay test mount/m", str(tmp_path / "real"), "--read-only"], check=True)
    assert fs.cat("/forebay test mount/m/f") == b"content"
    assert fs.ls("/forebay test mount", detail=False) == ["/forebay test mount/m"]
    with pytest.raises(PermissionError):
        fs.pipe_file("/forebay test mount/m/g", b"x")
    with pytest.raises(OSError, match="is a mount"):
        fs.rm("/forebay test mount/m", recursive=True)
    subprocess.run([str(PROGRAM), "unmount", "/forebay test mount/m"], check=True)
    assert not fs.exists("/forebay test mount/m/f")


@needs_program
def test_a_mount_of_nothing_is_an_empty_folder(fs: Any) -> None:
    subprocess.run([str(PROGRAM), "mount", "/forebay empty mount", "mem://nothing/here"], check=True)
    assert fs.isdir("/forebay empty mount") and fs.ls("/forebay empty mount") == []
    subprocess.run([str(PROGRAM), "unmount", "/forebay empty mount"], check=True)
    assert not fs.exists("/forebay empty mount")


# A shell may have started the tests with interrupts ignored, which children inherit.
INTERRUPTED = """
import signal
import sys
from forebay import _core
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    _core.store_read(sys.argv[1])
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_ends_a_read(fs: Any) -> None:
    with stalling_server() as server:
        reader = subprocess.Popen([sys.executable, "-c", INTERRUPTED, server.uri], stdout=subprocess.PIPE, text=True)
        while not server.was_asked.wait(1):
            assert reader.poll() is None
        reader.send_signal(signal.SIGINT)
        printed, _ = reader.communicate()
    assert printed == "interrupted\n"


def test_other_threads_run_while_a_read_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREBAY_RETRY_FOR", "0")  # every answer of this server ends too early
    with stalling_server() as server:
        def read() -> None:
            with pytest.raises(OSError):
                _core.store_read(server.uri)

        thread = threading.Thread(target=read)
        thread.start()
        server.was_asked.wait()  # needs the GIL, as the server itself does
        assert thread.is_alive()
        server.may_end.set()
        thread.join()


def test_the_example_of_the_page(fs: Any) -> None:
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "namespace.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    folder = f"forebay example {os.getpid()}"
    printed = subprocess.run([sys.executable, "-c", code.replace("forebay example", folder)], capture_output=True,
                             text=True, check=True).stdout
    assert printed == f"b'hello'\n['/tmp/{folder}/greeting.txt']\n"
