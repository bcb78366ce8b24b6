"""Arrays against MXNet 1.9.1, call by call: values, shapes, types, and which calls are errors.

MXNet runs in a Python of its own: FOREBAY_MXNET_PYTHON, or `.peers/mxnet/bin/python`.
"""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

from forebay import autograd, nd

import array_cases
import run_arrays

HERE = pathlib.Path(__file__).parent
PEER = pathlib.Path(os.environ.get("FOREBAY_MXNET_PYTHON", HERE.parents[1] / ".peers/mxnet/bin/python"))
DEPARTURES = {case: why for why, cases in array_cases.DEPARTURES.items() for case in cases}
TOLERANCES = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-6}

pytestmark = pytest.mark.skipif(not PEER.exists(), reason="MXNet 1.9.1 is absent: FOREBAY_MXNET_PYTHON names its Python")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    path = tmp_path_factory.mktemp("mxnet") / "results.pickle"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([PEER, HERE / "run_arrays.py", "mxnet", path], check=True, capture_output=True, env=environment)
    return pickle.loads(path.read_bytes())


@pytest.fixture(scope="module")
def ours():
    found = run_arrays.results(nd, autograd)
    try:
        nd.waitall()
    except Exception:
        pass  # of the calls that are to fail
    return found


def difference(got, want) -> str | None:
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return f"{len(want)} arrays are wanted"
        return next(filter(None, map(difference, got, want)), None)
    if got[:2] != want[:2]:
        return f"{got[:2]} where {want[:2]} is wanted"
    values, wanted = (np.frombuffer(item[2], item[1]) for item in (got, want))
    tolerance = TOLERANCES.get(want[1], 0)
    if not np.allclose(values, wanted, tolerance, tolerance / 10, equal_nan=True):
        return f"{values[:12]} where {wanted[:12]} is wanted"
    return None


def found_difference(got, want) -> str | None:
    if got[0] != want[0]:
        return f"{got} where {want} is wanted"
    return difference(got[1], want[1]) if got[0] == "value" else None


def test_every_call_comes_out_alike(ours, theirs) -> None:
    assert ours.keys() == theirs.keys()
    differences = {case: found_difference(ours[case], theirs[case]) for case in theirs}
    unexpected = {case: text for case, text in differences.items() if text and case not in DEPARTURES}
    assert not unexpected, "\n".join(f"{case}: {text[:300]}" for case, text in unexpected.items())


def test_departures_are_still_departures(ours, theirs) -> None:
    """A case that has come to agree is no departure any more."""
    assert [case for case in DEPARTURES if found_difference(ours[case], theirs[case]) is None] == []


def test_most_calls_give_values(theirs) -> None:
    """The table is about values, not about a peer that fails."""
    assert sum(outcome[0] == "value" for outcome in theirs.values()) > 0.85 * len(theirs)
