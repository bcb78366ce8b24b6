"""What `forebay demo` runs, with nothing but NumPy, and the pictures that it leaves."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from forebay import fn, pipeline_def

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
WITHOUT_PILLOW = f"""
import sys
sys.modules["PIL"] = None
sys.path.insert(0, {str(EXAMPLES)!r})
import train_small
train_small.main()
"""


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


def decoded(path: pathlib.Path) -> np.ndarray:
    @pipeline_def(batch_size=1, num_threads=1)
    def make() -> Any:
        return fn.decoders.image(fn.external_source(lambda: [path.read_bytes()]))

    return make().run()[0].at(0)


def test_it_runs_without_pillow(tmp_path: pathlib.Path) -> None:
    arguments = ["--out", str(tmp_path), "--photos", "40", "--epochs", "1"]
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_PILLOW, *arguments], capture_output=True, text=True, timeout=600, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "`pip install pillow`" in result.stdout and "40 pictures of 8 classes" in result.stdout
    assert len(list((tmp_path / "photos").rglob("*.png"))) == 40 and not list(tmp_path.rglob("*.part"))
    assert decoded(tmp_path / "contact_sheet.png").shape == (4 * (224 + 26), 8 * 224, 3)
    assert (tmp_path / "trace.json").stat().st_size > 1000


def test_a_png_holds_the_pixels(examples: None, tmp_path: pathlib.Path) -> None:
    from picture_files import write_png  # type: ignore[import-not-found]

    pixels = np.random.default_rng(1).integers(0, 256, (7, 5, 3), np.uint8)
    write_png(tmp_path / "x.png", pixels)
    np.testing.assert_array_equal(decoded(tmp_path / "x.png"), pixels)


def test_pictures_that_are_there_are_not_made_in_another_form(examples: None, tmp_path: pathlib.Path) -> None:
    from make_photos import make_photos  # type: ignore[import-not-found]

    other = tmp_path / "bricks" / "00000.png"
    other.parent.mkdir()
    other.write_bytes(b"")
    make_photos(tmp_path, 2)
    assert len([path for path in tmp_path.rglob("*.*") if path.is_file()]) == 2


def test_labels_stand_below_the_pictures(examples: None, tmp_path: pathlib.Path) -> None:
    from labelled_sheet import BAD, GOOD, labelled_sheet  # type: ignore[import-not-found]

    pictures = np.full((9, 32, 40, 3), 7, np.uint8)
    texts = [("dots", True), ("dots > a class whose name is long", False), *[("?\u00e9", True)] * 6, ("stra\u00dfe", True)]
    labelled_sheet(tmp_path / "sheet.png", pictures, texts)
    sheet = decoded(tmp_path / "sheet.png")
    assert sheet.shape == (2 * (32 + 26), 8 * 40, 3)
    assert (sheet[:32] == 7).all() and (sheet[58:90, 40:] == 0).all()  # the last row has one picture
    below = sheet[32:58]
    assert (below[:, :40] == GOOD).all(axis=-1).any() and (below[:, 40:80] == BAD).all(axis=-1).any()
    assert not (below[:, 40:80] == GOOD).all(axis=-1).any()
