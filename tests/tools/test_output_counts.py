"""How many outputs stubs state for an operator, beside what its function gives."""

from __future__ import annotations

import pathlib
import sys
from typing import Any, Callable

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))

import output_counts  # noqa: E402

from forebay import Pipeline, fn  # noqa: E402
from forebay.fn import features, generate  # noqa: E402

ROWS = {row["name"]: row for row in generate.table()}
BOX = [0.0, 0.0, 1.0, 1.0]


def forms_of(name: str) -> list[output_counts.Form]:
    return output_counts.forms_of(ROWS[name])


@pytest.mark.parametrize(("name", "call", "chosen"), [
    ("readers.file", lambda: fn.readers.file(files=["a"]), {}),
    ("readers.caffe", lambda: fn.readers.caffe(path="a"), {}),
    ("readers.caffe", lambda: fn.readers.caffe(path="a", image_available=False), {"image_available": False}),
    ("readers.coco", lambda: fn.readers.coco(file_root="a", annotations_file="b"), {}),
    ("readers.coco", lambda: fn.readers.coco(file_root="a", annotations_file="b", masks=True), {"masks": True}),
    ("readers.webdataset", lambda: fn.readers.webdataset(paths="a", ext="jpg"), {"ext": ["a"]}),
    ("readers.webdataset", lambda: fn.readers.webdataset(paths="a", ext=("jpg", "cls")), {"ext": ["a", "a"]}),
    ("resize", lambda: fn.resize(fn.constant(fdata=BOX), size=2), {}),
    ("resize", lambda: fn.resize(fn.constant(fdata=BOX), size=2, save_attrs=True), {"save_attrs": True}),
    ("box_encoder", lambda: fn.box_encoder(fn.constant(fdata=BOX), fn.constant(idata=[1]), anchors=BOX), {}),
])
def test_a_form_is_what_the_function_gives(name: str, call: Callable[[], Any], chosen: dict[str, Any]) -> None:
    with Pipeline(batch_size=1):
        given = call()
    text = output_counts.tuple_of(len(given)) if isinstance(given, list) else "DataNode"

    def is_called(form: output_counts.Form) -> bool:
        return all(chosen[parameter] == choice.value if parameter in chosen else choice.is_default
                   for parameter, choice in form.choices.items())

    assert next(form.returned for form in forms_of(name) if is_called(form)) == text


def test_every_operator_has_forms() -> None:
    for name in ROWS.keys() - features.ADAPTERS.keys():
        assert forms_of(name)[-1].choices == {}, name
