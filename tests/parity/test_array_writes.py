"""Arrays that are written between an operation and its backward(): where MXNet 1.9.1's gradient is right, so is ours;
elsewhere ours is right or refused, never wrong. Live, where MXNet is installed (`tools/peers.sh`)."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import numpy as np
import pytest

from test_array_training import MXNET

CASES = pathlib.Path(__file__).with_name("array_write_cases.py")

pytestmark = pytest.mark.skipif(not MXNET.exists(), reason="MXNet is absent")

# L2Normalization's gradient is made of its operand's, MXNet's of its result's, which may be written here instead.
# Activations keep their result alone, where MXNet keeps the operand, too: half of the memory.
REFUSED = {
    "nd.L2Normalization(x.reshape((1,3))) | x",
    "nd.Activation(x,'sigmoid') | y",
    "nd.Activation(x,'tanh') | y",
    "nd.Activation(x,'softrelu') | y",
    "nd.Activation(x,'softsign') | y",
}

Results = dict[str, np.ndarray]


def results(folder: pathlib.Path, *command: str) -> Results:
    path = folder / "results.npz"
    run = subprocess.run([*command, str(CASES), str(path)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return dict(np.load(path))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Results]:
    theirs = results(tmp_path_factory.mktemp("mxnet"), str(MXNET), "-W", "ignore")
    ours = results(tmp_path_factory.mktemp("forebay"), sys.executable, "-W", "ignore", "-m", "forebay.compat")
    return theirs, ours


def is_as_unwritten(found: Results, case: str) -> bool:
    unwritten = found[case.rsplit(" | ", 1)[0]]
    return found[case].shape == unwritten.shape and np.allclose(
        found[case], unwritten, rtol=1e-4, atol=1e-5, equal_nan=True
    )


def test_never_wrong(both: tuple[Results, Results]) -> None:
    _, ours = both
    cases = [case for case in ours if case.count(" | ") == 2]
    assert len(cases) > 1000
    assert [case for case in cases if ours[case].size and not is_as_unwritten(ours, case)] == []


def test_right_where_mxnet_is(both: tuple[Results, Results]) -> None:
    theirs, ours = both
    groups: dict[str, list[str]] = {}  # a value that happens to change nothing says nothing: all have to
    for case in ours:
        if case.count(" | ") == 2:
            expression, _, written = case.split(" | ")
            groups.setdefault(f"{expression} | {written[0]}", []).append(case)
    right = {
        name for name, cases in groups.items() if all(theirs[case].size and is_as_unwritten(theirs, case) for case in cases)
    }
    refused = {name for name in right if not all(is_as_unwritten(ours, case) for case in groups[name])}
    assert len(right) > 150 and refused == REFUSED
