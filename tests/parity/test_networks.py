"""Operators of networks, their gradients and steps of optimizers against MXNet 1.9.1, where it is installed
(`make peers`; FOREBAY_MXNET_PYTHON names another Python that has it)."""

from __future__ import annotations

import os
import pathlib
import subprocess

import numpy as np
import pytest

from forebay import autograd, nd

import network_cases

HERE = pathlib.Path(__file__).parent
MXNET = pathlib.Path(os.environ.get("FOREBAY_MXNET_PYTHON", HERE.parents[1] / ".peers" / "mxnet" / "bin" / "python"))

pytestmark = pytest.mark.skipif(not MXNET.exists(), reason="MXNet 1.9.1 is absent: FOREBAY_MXNET_PYTHON names its Python")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    path = tmp_path_factory.mktemp("mxnet") / "results.npz"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [str(MXNET), "-W", "ignore", str(HERE / "network_cases.py"), "mxnet", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return dict(np.load(path))


def test_values_gradients_and_states_agree(theirs: dict[str, np.ndarray]) -> None:
    ours = network_cases.results(nd, autograd)
    assert list(ours) == list(theirs) and len(ours) > 150
    different = []
    departures = network_cases.DEPARTURES
    assert not any(np.allclose(ours[name], theirs[name], rtol=1e-4, atol=2e-5) for name in departures)
    for name, expected in theirs.items():
        if name in departures:
            continue
        found = ours[name]
        if found.shape != expected.shape or not np.allclose(found, expected, rtol=1e-4, atol=2e-5):
            different.append(f"{name}\n  MXNet   {expected.ravel()[:8]}\n  Forebay {found.ravel()[:8]}")
    assert not different, "\n".join(different)
