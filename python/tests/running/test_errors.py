"""What the operating system refuses is an OSError with its errno, by itself or as the cause of a SampleError."""

from __future__ import annotations

import errno
import pathlib
from typing import Any

import pytest

from forebay import Pipeline, SampleError, fn, nd, pipeline_def


def reading(**arguments: Any) -> Pipeline:
    @pipeline_def(batch_size=1, num_threads=1, prefetch_queue_depth=1, memory_limit=arguments.pop("memory_limit", None))
    def make() -> Any:
        return fn.decoders.image(fn.readers.file(**arguments)[0])

    return make()


def test_a_missing_file_has_its_number(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="list.txt") as caught:
        reading(file_list=tmp_path / "list.txt").build()
    assert caught.value.errno == errno.ENOENT


def test_the_class_is_that_of_the_number(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    file = next(photos.rglob("*.jpg"))
    with pytest.raises(NotADirectoryError) as caught:
        nd.save(file / "arrays", nd.array([1]))
    assert caught.value.errno == errno.ENOTDIR and str(file) in str(caught.value)


def test_a_broken_sample_tells_the_cause(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(SampleError) as caught:
        reading(files=[tmp_path / "gone.jpg"]).run()
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    assert caught.value.__cause__.errno == errno.ENOENT
    assert caught.value.cause in str(caught.value.__cause__)


def test_a_sample_beyond_the_limit_is_caused_by_memory(photos: pathlib.Path) -> None:
    with pytest.raises(SampleError) as caught:
        reading(file_root=photos, memory_limit=1000).run()
    assert isinstance(caught.value.__cause__, MemoryError)


def test_a_file_that_is_no_picture_has_no_such_cause(tmp_path: pathlib.Path) -> None:
    (tmp_path / "text.jpg").write_text("no picture")
    with pytest.raises(SampleError) as caught:
        reading(files=[tmp_path / "text.jpg"]).run()
    assert caught.value.__cause__ is None
