"""A pipeline for segmentation as a whole: the same images, boxes and masks as DALI's, live."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from segmentation_pipeline import BATCH, run

import forebay
import forebay.fn
import forebay.types

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


@pytest.mark.skipif("FOREBAY_DALI_PYTHON" not in os.environ, reason="FOREBAY_DALI_PYTHON names no Python with DALI")
def test_equals_dali(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "shapes"
    subprocess.run([sys.executable, str(EXAMPLES / "make_shapes.py"), str(folder), str(BATCH)], check=True)
    script = str(HERE / "segmentation_pipeline.py")
    subprocess.run([os.environ["FOREBAY_DALI_PYTHON"], script, str(folder), str(tmp_path / "dali.npz")], check=True)
    got = run(forebay, folder)
    with np.load(tmp_path / "dali.npz") as wanted:
        assert set(got) == set(wanted)
        for name, values in wanted.items():
            assert got[name].shape == values.shape, name
            if name.startswith("images"):  # two filters, each of which may differ by a level in a few pixels
                np.testing.assert_allclose(got[name], values, atol=0.04, err_msg=name)
                assert np.mean(np.abs(got[name] - values) < 0.01) >= 0.98, name
            elif name.startswith("turned"):  # the bar of nearest neighbours
                assert np.mean(got[name] == values) >= 0.999, name
            else:
                np.testing.assert_allclose(got[name], values, rtol=1e-4, atol=1e-5, err_msg=name)
