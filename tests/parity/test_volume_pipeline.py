"""A pipeline of scans in three dimensions: the same volumes as DALI's, live."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from volume_pipeline import BATCH, run

import forebay
import forebay.fn
import forebay.types

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


@pytest.mark.skipif("FOREBAY_DALI_PYTHON" not in os.environ, reason="FOREBAY_DALI_PYTHON names no Python with DALI")
def test_equals_dali(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "volumes"
    subprocess.run([sys.executable, str(EXAMPLES / "make_volumes.py"), str(folder), str(BATCH)], check=True)
    script = str(HERE / "volume_pipeline.py")
    subprocess.run([os.environ["FOREBAY_DALI_PYTHON"], script, str(folder), str(tmp_path / "dali.npz")], check=True)
    got = run(forebay, folder)
    with np.load(tmp_path / "dali.npz") as wanted:
        assert set(got) == set(wanted)
        for name, values in wanted.items():
            assert (got[name].shape, got[name].dtype) == (values.shape, values.dtype), name
            if "window" in name or "mirrored" in name:
                np.testing.assert_array_equal(got[name], values, err_msg=name)
            elif name.startswith("organs"):  # the bar of nearest neighbours
                assert np.mean(got[name] == values) >= 0.999, name
            elif values.dtype == np.int16:
                np.testing.assert_allclose(got[name], values, atol=1, err_msg=name)
            else:
                np.testing.assert_allclose(got[name], values, rtol=1e-4, atol=0.1, err_msg=name)
