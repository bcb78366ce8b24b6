"""Whole scripts, unmodified: `python -m forebay.compat` gives what DALI's Python gives, where there is one."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SCRIPTS = {"classification": "photos", "detection": "shapes", "external_source": "photos"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    root = tmp_path_factory.mktemp("pictures")
    folders = {name: root / name for name in ("photos", "shapes")}
    for name, folder in folders.items():
        command = [sys.executable, str(EXAMPLES / f"make_{name}.py"), str(folder), "10"]
        subprocess.run(command, check=True, capture_output=True)
    return folders


def arrays_by(command: list[str], script: str, folder: pathlib.Path, output: pathlib.Path) -> list[np.ndarray]:
    run = [*command, str(HERE / "scripts" / f"{script}.py"), str(folder), str(output)]
    result = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    with np.load(output) as arrays:
        return [arrays[name] for name in arrays.files]


@pytest.mark.parametrize("script", SCRIPTS)
def test_script(script: str, data: dict[str, pathlib.Path], tmp_path: pathlib.Path) -> None:
    folder = data[SCRIPTS[script]]
    got = arrays_by([sys.executable, "-m", "forebay.compat"], script, folder, tmp_path / "forebay.npz")
    assert len(got) > 6 and all(array.size for array in got)
    dali = os.environ.get("FOREBAY_DALI_PYTHON")
    if dali:
        want = arrays_by([dali, "-W", "ignore"], script, folder, tmp_path / "dali.npz")
        assert [(array.dtype, array.shape) for array in got] == [(array.dtype, array.shape) for array in want]
        for ours, theirs in zip(got, want):
            assert_close(ours, theirs)


def assert_close(got: np.ndarray, want: np.ndarray) -> None:
    """By the bars of docs/design/parity.md; numbers that were bytes before they were normalised, too."""
    apart = np.abs(got.astype(np.float64) - want.astype(np.float64))
    if got.dtype == np.uint8 or want.max() > 10:
        assert apart.max() <= 2.001  # where contrast is raised after a byte was one apart
        assert np.mean(apart <= 1e-3) >= 0.99
        assert abs(np.mean(got.astype(np.float64) - want)) <= 0.02
    else:
        assert np.mean(apart <= 1e-4 * np.maximum(1, np.abs(want))) >= 0.99
        assert apart.max() <= 0.02
