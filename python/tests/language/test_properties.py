"""What is known about samples beside their content: source_info and layout."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from forebay import fn, pipeline_def


def texts(batch: Any) -> list[str]:
    return [bytes(np.asarray(batch.at(place))).decode() for place in range(len(batch))]


@pytest.fixture
def pairs(tmp_path: pathlib.Path) -> list[pathlib.Path]:
    """Two folders of three files each."""
    folders = [tmp_path / "left", tmp_path / "right"]
    for folder in folders:
        (folder / "0").mkdir(parents=True)
        for number in range(3):
            (folder / "0" / f"{number}.jpg").write_bytes(bytes([number] * (number + 1)))
    return folders


def test_source_info_is_the_object_of_the_reader(pairs: list[pathlib.Path]) -> None:
    @pipeline_def(batch_size=3, num_threads=2)
    def make() -> Any:
        left = fn.readers.file(file_root=str(pairs[0]))[0]
        right = fn.readers.file(file_root=str(pairs[1]), random_shuffle=True, name="right")[0]
        fed = fn.external_source(lambda: [np.zeros(2, np.uint8)] * 3)
        both = fn.cat(left, right)
        return (left.source_info(), fn.get_property(right + 1, key="source_info"), fed.source_info(),
                fn.get_property(both, key="source_info"), right)

    pipe = make()
    left, right, fed, both, content = pipe.run()
    assert texts(left) == texts(both) == [str(pairs[0] / "0" / f"{number}.jpg") for number in range(3)]
    assert texts(right) == [str(pairs[1] / "0" / f"{content.at(place)[0]}.jpg") for place in range(3)]
    assert texts(fed) == ["", "", ""]


def test_source_info_follows_samples_through_keep(pairs: list[pathlib.Path]) -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        data = fn.readers.file(file_root=str(pairs[0]))[0]
        kept = fn.keep(data, where=data[0] != 1)
        return kept.source_info(), kept

    info, kept = make().run()
    assert [pathlib.Path(text).stem for text in texts(info)] == [str(kept.at(place)[0]) for place in range(2)]


def test_source_info_is_asked_for_before_the_batch_is_mixed(pairs: list[pathlib.Path]) -> None:
    @pipeline_def(batch_size=3, num_threads=1)
    def make(late: bool) -> Any:
        data = fn.readers.file(file_root=str(pairs[0]))[0]
        if late:
            return fn.permute_batch(data, indices=[2, 1, 0]).source_info()
        return fn.permute_batch(data.source_info(), indices=[2, 1, 0])

    assert [pathlib.Path(text).stem for text in texts(make(late=False).run()[0])] == ["2", "1", "0"]
    with pytest.raises(Exception, match="source_info of samples after an operator on the whole batch"):
        make(late=True).build()


def test_layout() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        image = fn.external_source(lambda: [np.zeros((4, 5, 3), np.uint8)] * 2, layout="HWC")
        flat = fn.reshape(image, shape=[-1])
        return image.property("layout"), fn.get_property(fn.permute_batch(image, indices=[1, 0]), key="layout"), \
            flat.property("layout")

    outputs = make().run()
    assert [texts(output) for output in outputs] == [["HWC", "HWC"], ["HWC", "HWC"], ["", ""]]


def test_unknown_property() -> None:
    @pipeline_def(batch_size=1, num_threads=1)
    def make() -> Any:
        return fn.constant(idata=[1]).property("colour")

    with pytest.raises(Exception, match="colour"):
        make().build()
