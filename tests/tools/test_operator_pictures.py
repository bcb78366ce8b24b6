"""The check of the operators' pictures finds what is missing, strange or changed, and lets pass what is close."""

from __future__ import annotations

import pathlib
import shutil
import sys

import numpy as np
import pytest
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))

from operator_pictures import files, scenes, table  # noqa: E402

from forebay.fn import generate  # noqa: E402

OPERATORS = [operator["name"] for operator in generate.table()]
FEW = {name: table.ROWS[name] for name in ("one_hot", "random.beta", "random.coin_flip")}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The pictures of a few operators, as they are written."""
    folder = tmp_path_factory.mktemp("pictures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "ROWS", FEW)
        files.write(folder)
    return folder


@pytest.fixture
def folder(written: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A copy of them; other operators have no row."""
    monkeypatch.setattr(table, "ROWS", FEW)
    return shutil.copytree(written, tmp_path / "pictures")


def findings(folder: pathlib.Path) -> list[str]:
    """What is said of files."""
    return [finding for finding in files.findings(folder) if ".webp" in finding]


def change(path: pathlib.Path, levels: int, part: int) -> None:
    """Makes each number of the first `part` columns by `levels` smaller or larger."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGBA")).copy()
    pixels[:, :part, 0] ^= np.uint8(levels)
    Image.fromarray(pixels).save(path, lossless=True, exact=True)


def test_every_operator_has_a_row_or_a_reason() -> None:
    assert table.named_wrongly(OPERATORS) == []
    assert table.named_wrongly([*OPERATORS, "newest"]) == [
        "fn.newest has neither a row nor a reason to have none in tools/operator_pictures"
    ]


def test_an_operator_with_both_or_that_is_gone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.WITHOUT, "numbers", ("flip", "gone"))
    wrong = table.named_wrongly(OPERATORS)
    assert "fn.flip is named twice in tools/operator_pictures" in wrong
    assert "tools/operator_pictures names gone, which is no operator" in wrong


def test_what_is_written_is_current(folder: pathlib.Path) -> None:
    assert findings(folder) == []
    assert {path.stem for path in folder.iterdir()} == set(FEW)


def test_missing_pictures_and_files_of_no_row_are_found_and_mended(folder: pathlib.Path) -> None:
    (folder / "one_hot.webp").rename(folder / "two_hot.webp")
    assert findings(folder) == [
        "two_hot.webp: no row of tools/operator_pictures makes it",
        "one_hot.webp is not what tools/generate_docs.py makes",
    ]
    files.write(folder)
    assert findings(folder) == []


def test_one_level_of_one_pixel_is_found_where_the_operator_is_exact(folder: pathlib.Path) -> None:
    change(folder / "random.coin_flip.webp", levels=1, part=1)
    assert findings(folder) == ["random.coin_flip.webp is not what tools/generate_docs.py makes"]


@pytest.mark.parametrize(("levels", "count"), [(1, 0), (4, 1)])
def test_where_it_is_close_a_quarter_of_a_level_is_let_pass(folder: pathlib.Path, levels: int, count: int) -> None:
    change(folder / "random.beta.webp", levels, part=10_000)
    assert len(findings(folder)) == count


def test_pictures_of_another_size_are_found(folder: pathlib.Path) -> None:
    Image.fromarray(scenes.lake()).save(folder / "one_hot.webp", lossless=True)
    assert findings(folder) == ["one_hot.webp is not what tools/generate_docs.py makes"]
