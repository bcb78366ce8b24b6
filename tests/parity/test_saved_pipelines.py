"""Pipelines that DALI saved, read and run by Forebay: the same bits as by DALI, and as of the same script run here.

Live, where FOREBAY_DALI_PYTHON is set: what DALI saves holds paths, and the lines of the script.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import image_cases
import numpy as np
import operator_cases
import pytest
import reader_cases
import saved_cases

import forebay
import forebay.fn
import forebay.math
import forebay.ops
import forebay.tfrecord
import forebay.types

pytestmark = pytest.mark.skipif(
    "FOREBAY_DALI_PYTHON" not in os.environ, reason="FOREBAY_DALI_PYTHON names no Python with DALI"
)
HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
OPERATOR_CASES = [case for case in (*operator_cases.CASES, *image_cases.CASES) if case.reference == "dali"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The files that the pipelines read."""
    folder = tmp_path_factory.mktemp("saved")
    reader_cases.make_data(folder)
    for place, name in enumerate(("exif6_420.jpg", "exif1_grey.jpg", "exif6_420.jpg", "exif6_420.jpg")):
        (folder / "photos" / str(place % 2)).mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "decode" / name, folder / "photos" / str(place % 2) / f"{place}.jpg")
    subprocess.run(
        [sys.executable, str(EXAMPLES / "make_shapes.py"), str(folder / "shapes"), str(saved_cases.BATCH * 4)], check=True
    )
    return folder


@pytest.fixture(scope="module")
def saved(root: pathlib.Path) -> dict[str, Any]:
    python = os.environ["FOREBAY_DALI_PYTHON"]
    subprocess.run([python, str(HERE / "save_pipelines.py"), str(root), str(root / "saved.json")], check=True)
    return json.loads((root / "saved.json").read_text())


def _array(row: list[Any]) -> np.ndarray:
    shape, dtype, content = row
    return np.frombuffer(base64.b64decode(content), dtype).reshape(shape)


@pytest.mark.parametrize("name", saved_cases.CASES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_gives_what_dali_gives(name: str, saved: dict[str, Any], root: pathlib.Path) -> None:
    case = saved_cases.CASES[name]
    row = saved["pipelines"][name]
    loaded = forebay.Pipeline.deserialize(base64.b64decode(row["saved"]))
    batches = saved_cases.outputs_of(loaded, case.feeds)
    written = saved_cases.outputs_of(case.build(forebay, root), case.feeds)
    for got_batch, own_batch, want_batch in zip(batches, written, row["batches"], strict=True):
        for place, (got, own, want) in enumerate(zip(got_batch, own_batch, want_batch, strict=True)):
            for got_sample, own_sample, want_row in zip(got, own, want, strict=True):
                np.testing.assert_array_equal(got_sample, own_sample, err_msg=f"output {place}")
                wanted = _array(want_row)
                assert (got_sample.dtype, got_sample.shape) == (wanted.dtype, wanted.shape), f"output {place}"
                np.testing.assert_allclose(got_sample, wanted, **tolerance(name, wanted), err_msg=f"output {place}")


def tolerance(name: str, wanted: np.ndarray) -> dict[str, float]:
    """Floats are as close as the operators' own tests ask. Rounding may differ by a level in filtered pictures."""
    if np.issubdtype(wanted.dtype, np.floating):
        return {"rtol": 1e-4, "atol": 0.041 if name in ("detection", "photographs", "served") else 1e-4}
    return {"rtol": 0, "atol": 1 if wanted.dtype in (np.uint8, np.int16) else 0}


@pytest.mark.parametrize("case", OPERATOR_CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_arguments_of_every_operator(case: operator_cases.Case, saved: dict[str, Any]) -> None:
    """As the script that was saved gives here."""
    loaded = forebay.Pipeline.deserialize(base64.b64decode(saved["operators"][case.name]))
    sources = [node["name"] for node in loaded._graph.nodes() if node["op"] == "external_source"]
    batches = [*case.inputs, *case.tensors.values()]
    sources.sort(key=lambda name: int(name.rpartition("_")[2]))  # numbered in the order of writing
    loaded.build()
    for source, batch in zip(sources, batches, strict=True):
        loaded.feed_input(source, batch)
    got, layout = operator_cases.first_batch(loaded, case)
    want, want_layout = operator_cases.run(forebay, case)
    assert layout == want_layout
    for got_sample, want_sample in zip(got, want, strict=True):
        assert got_sample.dtype == want_sample.dtype
        np.testing.assert_array_equal(got_sample, want_sample)


@pytest.mark.parametrize("name", reader_cases.CASES)
def test_readers(name: str, saved: dict[str, Any], root: pathlib.Path) -> None:
    loaded = forebay.Pipeline.deserialize(base64.b64decode(saved["readers"][name]))
    assert reader_cases.six_batches(loaded) == reader_cases.run(forebay, name, root)
