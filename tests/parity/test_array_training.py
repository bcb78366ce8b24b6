"""Forebay's blocks, losses and optimizers against MXNet 1.9.1's own, where it is installed (`tools/peers.sh`)."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MXNET = pathlib.Path(os.environ.get("FOREBAY_MXNET_PYTHON", ROOT / ".peers" / "mxnet" / "bin" / "python"))
CASES = pathlib.Path(__file__).with_name("array_training_cases.py")

pytestmark = pytest.mark.skipif(not MXNET.exists(), reason="MXNet is absent")


def results(folder: pathlib.Path, *command: str) -> dict[str, np.ndarray]:
    path = folder / "results.npz"
    run = subprocess.run([*command, str(CASES), str(path)], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return dict(np.load(path))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    theirs = results(tmp_path_factory.mktemp("mxnet"), str(MXNET), "-W", "ignore")
    ours = results(tmp_path_factory.mktemp("forebay"), sys.executable, "-m", "forebay.compat")
    return theirs, ours


def tolerance(name: str) -> dict[str, float]:
    """Random values agree as far as their number allows; resized images to a rounding."""
    if name.startswith("deviation."):
        return {"rtol": 0.02}
    return {"atol": 1} if name.startswith("rounded.") else {"rtol": 2e-5, "atol": 2e-6}


def test_results(both: tuple[dict[str, np.ndarray], dict[str, np.ndarray]]) -> None:
    theirs, ours = both
    assert list(ours) == list(theirs) and len(ours) > 200
    different = []
    for name, expected in theirs.items():
        found = ours[name]
        if expected.dtype.kind == "U":
            agrees = str(found) == str(expected)
        else:
            agrees = found.shape == expected.shape and found.dtype == expected.dtype
            agrees = agrees and np.allclose(found.astype("float64"), expected.astype("float64"), **tolerance(name))
        if not agrees:
            different.append(f"{name}\n  MXNet   {expected}\n  Forebay {found}")
    assert not different, "\n".join(different)
