"""A detector's pipeline as a whole, live: the same images, boxes, masks and targets as DALI's, and as much is learned."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from detection_pipeline import BATCH, run

import forebay
import forebay.fn
import forebay.types

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples"
needs_dali = pytest.mark.skipif(
    "FOREBAY_DALI_PYTHON" not in os.environ, reason="FOREBAY_DALI_PYTHON names no Python with DALI"
)


@needs_dali
def test_equals_dali(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "shapes"
    subprocess.run([sys.executable, str(EXAMPLES / "make_shapes.py"), str(folder), str(BATCH)], check=True)
    script = str(HERE / "detection_pipeline.py")
    subprocess.run([os.environ["FOREBAY_DALI_PYTHON"], script, str(folder), str(tmp_path / "dali.npz")], check=True)
    got = run(forebay, folder)
    with np.load(tmp_path / "dali.npz") as wanted:
        assert set(got) == set(wanted)
        for name, values in wanted.items():
            if name.startswith("images"):  # of which decoders may differ by a level in a few pixels
                np.testing.assert_allclose(got[name], values, atol=0.041, err_msg=name)
            else:
                np.testing.assert_allclose(got[name], values, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.nightly
@needs_dali
def test_a_detector_learns_as_much_as_from_dali() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "detection" / "precision")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
