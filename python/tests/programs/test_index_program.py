"""`forebay index`: kinds of data by name and by option, remote shards after an interruption, progress at a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import threading
import time
from typing import Any

import numpy as np
import pytest

from forebay import fn, pipeline_def

from counting_proxy import CountingProxy, Handler, running
from s3_server import S3Server, program
from tfrecords import record_of

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests" / "parity"))
import reader_files  # noqa: E402

PROGRAM = os.environ.get("FOREBAY_PROGRAM") or shutil.which("forebay", path=sysconfig.get_path("scripts"))
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python")


def command(*arguments: Any) -> list[str]:
    assert PROGRAM is not None
    return [PROGRAM, "index", *map(str, arguments)]


def run(*arguments: Any, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env=environment)


def printed(*arguments: Any, environment: dict[str, str] | None = None) -> Any:
    done = run(*arguments, "--json", environment=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(*arguments: Any) -> str:
    done = run(*arguments)
    assert done.returncode == 1 and done.stdout == ""
    return done.stderr


def write_coco(root: pathlib.Path) -> pathlib.Path:
    """Three pictures, one of them without objects."""
    images, objects = [], []
    for number in range(3):
        (root / f"{number}.jpg").write_bytes(b"picture")
        images.append({"id": number, "file_name": f"{number}.jpg", "width": 4, "height": 3})
        polygon = [0, 0, 2, 0, 2, 3]
        objects += [{"image_id": number, "category_id": 1, "bbox": [0, 0, 2, 3], "segmentation": [polygon]}] * number
    document = {"images": images, "annotations": objects, "categories": [{"id": 1}]}
    (root / "annotations.json").write_text(json.dumps(document))
    return root / "annotations.json"


def test_annotations_of_coco(tmp_path: pathlib.Path) -> None:
    annotations, out = write_coco(tmp_path), tmp_path / "index"
    assert printed(annotations, "--out", out)["samples"] == 3
    assert printed(annotations, "--out", out, "--with", "skip_empty")["samples"] == 2
    written = out.stat().st_mtime_ns
    folder = tmp_path / "preprocessed"
    facts = printed(annotations, "--as", "coco", "--out", folder, "--with", "skip_empty=true", "--with", "polygon_masks",
                    "--with", "ltrb")
    assert facts == {"index": str(folder), "samples": 2}
    assert (folder / "filenames.dat").read_text() == "1.jpg\n2.jpg\n"
    annotations.unlink()  # is not read any more
    assert printed(annotations, "--from", folder, "--out", out)["samples"] == 2
    assert out.stat().st_mtime_ns == written

    @pipeline_def(batch_size=2, num_threads=1)
    def read() -> Any:
        return tuple(fn.readers.coco(file_root=str(tmp_path), preprocessed_annotations=str(folder), polygon_masks=True,
                                     index_file=str(out)))

    boxes = read().run()[1]
    assert [boxes.at(place).shape for place in range(2)] == [(1, 4), (2, 4)]
    assert out.stat().st_mtime_ns == written


def test_annotations_refuse(tmp_path: pathlib.Path) -> None:
    annotations, out = write_coco(tmp_path), tmp_path / "index"
    assert "size_threshold=NUMBER" in refusal(annotations, "--out", out, "--with", "colour")
    assert "is no number" in refusal(annotations, "--out", out, "--with", "size_threshold=x")
    assert "`skip_empty`" in refusal(annotations, "--out", out, "--from", tmp_path, "--with", "skip_empty")
    assert "`ratio`" in refusal(annotations, "--as", "coco", "--out", out, "--with", "ratio", "--with", "pixelwise_masks")
    assert "offsets.dat" in refusal(annotations, "--from", tmp_path, "--out", out)
    assert "one file" in refusal(annotations, annotations, "--out", out)


def test_databases(tmp_path: pathlib.Path) -> None:
    (tmp_path / "train").mkdir()
    items = {b"%03d" % number: reader_files.datum(b"picture", number) for number in range(3)}
    database, index = tmp_path / "train" / "data.mdb", tmp_path / "index"
    database.write_bytes(reader_files.lmdb(items))
    assert printed(tmp_path / "train", "--out", index)["samples"] == 3
    written = index.stat().st_mtime_ns

    @pipeline_def(batch_size=3, num_threads=1)
    def read() -> Any:
        return fn.readers.caffe(path=str(tmp_path / "train"), index_file=str(index))[1]

    assert [int(np.asarray(read().run()[0].at(place))[0]) for place in range(3)] == [0, 1, 2]
    assert index.stat().st_mtime_ns == written
    assert printed(database, "--out", tmp_path / "other")["samples"] == 3


def test_kinds_that_names_do_not_tell(tmp_path: pathlib.Path) -> None:
    records = tmp_path / "train-00000-of-00001"
    records.write_bytes(record_of(b"one") + record_of(b"two"))
    assert printed(records, "--kind", "tfrecord", "--out", tmp_path / "index")["samples"] == 2
    (tmp_path / "list.json").write_text("train-00000-of-00001 0\n")
    assert printed(tmp_path / "list.json", "--kind", "files", "--out", tmp_path / "other")["samples"] == 1
    assert run(records, "--kind", "colour", "--out", tmp_path / "index").returncode not in (0, 1)


def test_indexes_of_tools_go_to_a_folder(tmp_path: pathlib.Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.tfrecord").write_bytes(record_of(b"one") * 2)
    out = tmp_path / "made"
    facts = printed(tmp_path / "{a,b}.tfrecord", "--as", "tfrecord2idx", "--out", out)
    assert facts["files"] == 2
    assert (out / "a.idx").read_text() == (out / "b.idx").read_text() == "0 19\n19 19\n"
    index = tmp_path / "index"
    assert printed(tmp_path / "{a,b}.tfrecord", "--from", out / "{a,b}.idx", "--out", index)["samples"] == 4


def test_an_index_of_a_tool_goes_to_a_folder_that_is_named_or_there(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a b.tfrecord").write_bytes(record_of(b"one"))
    sources = (tmp_path / "a b.tfrecord", tmp_path / "a*.tfrecord", f"file://{tmp_path}/a%20b.tfrecord")
    for number, source in enumerate(sources):
        out = tmp_path / f"made{number}"
        for place in (f"{out}/", out):
            assert printed(source, "--as", "tfrecord2idx", "--out", place)["files"] == 1
            assert [file.name for file in out.iterdir()] == ["a b.idx"]


def test_indexes_of_tools_refuse(tmp_path: pathlib.Path) -> None:
    records, out = tmp_path / "a.tfrecord", tmp_path / "a.idx"
    records.write_bytes(record_of(b"one"))
    as_tool = (records, "--as", "tfrecord2idx", "--out", out)
    for option in ("--from", "--ext", "--kind", "--with", "--root"):
        assert f"{option} does not go with --as" in refusal(*as_tool, option, "tfrecord")
    assert not out.exists()
    assert run(*as_tool).stdout == f"{out}: 5 bytes\n"
    assert "is a file" in refusal(records, *as_tool)
    assert "is a file" in refusal(write_coco(tmp_path), "--as", "coco", "--out", out)
    assert "is a folder" in refusal(records, "--out", tmp_path)


class HeldProxy(CountingProxy):
    """Counts what is read of each object; reads of the last one wait."""

    def __init__(self, port: int) -> None:
        super().__init__(port, HeldHandler)
        self.reads: dict[str, int] = {}
        self.held = threading.Event()
        self.is_waited_at = threading.Event()

    def count(self, path: str) -> None:
        name = path.partition("?")[0].rpartition("/")[2]
        with self.lock:
            self.reads[name] = self.reads.get(name, 0) + 1


class HeldHandler(Handler):
    def do_GET(self) -> None:
        proxy = self.server
        assert isinstance(proxy, HeldProxy)
        if self.command == "GET" and "last" in self.path and not proxy.held.is_set():
            proxy.is_waited_at.set()
            proxy.held.wait(60)
        with contextlib.suppress(BrokenPipeError):  # who asked was killed
            super().do_GET()


def tar_of(samples: int) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for number in range(samples):
            member = tarfile.TarInfo(f"{number}.jpg")
            member.size = 700
            tar.addfile(member, io.BytesIO(bytes(700)))
    return file.getvalue()


def kept_in(scan: pathlib.Path) -> list[str]:
    """What is written as a whole: names under way have a dot in them."""
    return [path.name for path in scan.glob("*") if "." not in path.name]


@pytest.mark.skipif(program() is None, reason="there is no S3 server here")
@pytest.mark.parametrize("kind", ["index", "wds2idx"])
def test_a_killed_scan_is_gone_on_with(kind: str, tmp_path: pathlib.Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for name in ("a", "b", "last"):
        (data / f"{name}.tar").write_bytes(tar_of(20))
    (tmp_path / "server").mkdir()
    server = S3Server(tmp_path / "server")
    try:
        server.put_folder("data", data)
        with running(HeldProxy(server.port)) as proxy:
            environment = {**os.environ, **server.environment(), "AWS_ENDPOINT_URL": proxy.url,
                           "FOREBAY_DAEMON": "off", "FOREBAY_MOUNTS": ""}
            out = tmp_path / "out"
            arguments = ("s3://data/{a,b,last}.tar", "--out", out, "--json",
                         *(("--ext", "jpg") if kind == "index" else ("--as", kind)))
            first = subprocess.Popen(command(*arguments), env=environment, stdout=subprocess.DEVNULL)
            assert proxy.is_waited_at.wait(60)
            scan = tmp_path / "out.scan"
            deadline = time.monotonic() + 60
            while len(kept_in(scan)) < 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            first.kill()
            first.wait()
            assert len(kept_in(scan)) == 2 and not out.exists()
            proxy.held.set()
            proxy.reads.clear()
            done = run(*arguments, environment=environment)
            assert done.returncode == 0, done.stderr
            assert proxy.reads.get("last.tar", 0) >= 2  # its stat, its content
            assert proxy.reads.get("a.tar", 0) <= 1 and proxy.reads.get("b.tar", 0) <= 1  # their stats
            assert not scan.exists()
            if kind == "index":
                assert json.loads(done.stdout)["samples"] == 60
            else:
                assert sorted(path.name for path in out.iterdir()) == ["a.idx", "b.idx", "last.idx"]
    finally:
        server.stop()


def shown_at_a_terminal(*arguments: Any) -> str:
    end, terminal = pty.openpty()
    process = subprocess.Popen(command(*arguments), stdout=terminal, stderr=terminal, stdin=subprocess.DEVNULL)
    os.close(terminal)
    shown = b""
    try:
        while chunk := os.read(end, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    os.close(end)
    assert process.wait() == 0, shown
    return shown.decode()


def test_progress_at_a_terminal(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar_of(20))
    (tmp_path / "a.tfrecord").write_bytes(record_of(b"one") * 3)
    annotations = write_coco(tmp_path)
    cases: list[tuple[str, tuple[Any, ...]]] = [
        ("20 samples", (tmp_path / "a.tar", "--ext", "jpg")),
        ("20 samples", (tmp_path / "a.tar", "--as", "wds2idx")),
        ("3 samples", (tmp_path / "a.tfrecord",)),
        ("3 samples", (annotations,)),
        ("37 samples", (photos,)),
    ]
    for number, (samples, arguments) in enumerate(cases):
        shown = shown_at_a_terminal(*arguments, "--out", tmp_path / f"out{number}")
        assert "100 %" in shown and samples in shown
        assert f"\n{tmp_path}/out{number}: " in shown  # the result has its own line
    assert run(tmp_path / "a.tar", "--ext", "jpg", "--out", tmp_path / "quiet").stderr == ""
