"""Data sets that are linked, or get other owners or modes, while they are read; and indexes that are out of date."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest

import forebay
from forebay import fn, pipeline_def
from forebay.errors import SampleError


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A thousand files of one class, older than any index."""
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    for number in range(1000):
        (root / "a" / f"{number:04}.jpg").write_bytes(number.to_bytes(4, "little"))
    for path in (root / "a", root):
        os.utime(path, (1e9, 1e9))
    return root


def reading(root: pathlib.Path, **arguments: Any) -> forebay.Pipeline:
    on_error = arguments.pop("on_error", "raise")

    @pipeline_def(batch_size=100, num_threads=2, prefetch_queue_depth=1, on_error=on_error)
    def make() -> Any:
        return fn.readers.file(file_root=str(root), name="reader", **arguments)[0]

    return make()


def delivered(pipe: forebay.Pipeline) -> int:
    return sum(len(pipe.run()[0]) for _ in range(10))


@pytest.mark.parametrize("change", ["link", "chmod"])
def test_a_data_set_may_be_linked_while_it_is_read(folder: pathlib.Path, change: str) -> None:
    pipe = reading(folder)
    pipe.run()
    counted = forebay.touched_reads()
    for path in (folder / "a").iterdir():
        if change == "link":
            os.link(path, folder.parent / path.name)
        else:
            path.chmod(0o600)
    assert delivered(pipe) == 1000
    assert forebay.touched_reads() > counted


def test_what_was_replaced_with_its_old_time_has_changed(folder: pathlib.Path) -> None:
    pipe = reading(folder)
    pipe.run()
    for path in (folder / "a").iterdir():
        before = path.stat()
        new = folder.parent / "new"
        new.write_bytes(b"new!")
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        new.rename(path)
    with pytest.raises(SampleError, match="was replaced after it was indexed"):
        delivered(pipe)


def test_an_index_that_is_out_of_date_heals(folder: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    index = folder.parent / "side.index"
    assert delivered(reading(folder, index_file=str(index))) == 1000
    for number in (503, 504, 505):  # between two that are looked at when the index is opened
        (folder / "a" / f"{number:04}.jpg").write_bytes(b"changed")
    capfd.readouterr()
    assert delivered(reading(folder, index_file=str(index), on_error="skip")) == 997
    assert capfd.readouterr().err.count("has changed since this index was made") == 1
    for _ in range(2):
        assert delivered(reading(folder, index_file=str(index), on_error="skip")) == 1000
    assert "index" not in capfd.readouterr().err


def test_index_file_names_an_index(folder: pathlib.Path) -> None:
    notes = folder.parent / "notes.txt"
    notes.write_text("what I must not forget")
    with pytest.raises(RuntimeError, match=r"notes\.txt is not a sample index; it was left alone"):
        reading(folder, index_file=str(notes)).build()
    assert notes.read_text() == "what I must not forget"
    with pytest.raises(ValueError, match="this is a folder"):
        reading(folder, index_file=str(folder)).build()
