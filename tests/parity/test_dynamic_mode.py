"""Dynamic mode: every case of `operator_cases.py` gives the bits that a pipeline gives; and beside DALI's dynamic mode,
live where FOREBAY_DALI_PYTHON is set, the same results and behaviour."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest

import forebay
import forebay.dynamic as ndd
import forebay.fn
import forebay.math
import forebay.types as types
from forebay.dynamic import operators

import dynamic_cases
import dynamic_draw_cases
import image_cases
from dynamic_run import can_run, run
from operator_cases import CASES, Case
from operator_cases import run as run_pipeline
from test_operators import assert_close

HERE = pathlib.Path(__file__).parent

ALL = [*CASES, *image_cases.CASES, *dynamic_draw_cases.CASES]
RANDOM = {str(row["name"]) for row in operators.rows() if row["is_random"]}

NOT_AS_IN_PIPELINES = {"coord_transform scalar MT"}
"""Cases for which DALI's dynamic mode gives something else than its own pipelines, which we follow."""



@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_equals_the_pipeline(case: Case) -> None:
    assert can_run(ndd, case)
    want, want_layout = run_pipeline(forebay, case)  # with the seed 1
    draws = case.op in RANDOM
    got, layout = run(ndd, types, case, **({"rng": ndd.random.RNG(1)} if draws else {}))
    assert layout == want_layout
    for got_sample, want_sample in zip(got, want, strict=True):
        assert got_sample.dtype == want_sample.dtype
        assert got_sample.shape == want_sample.shape
        assert got_sample.tobytes() == want_sample.tobytes()


def test_every_operator_has_a_case() -> None:
    assert {str(row["name"]) for row in operators.rows()} <= {case.op for case in ALL}


@pytest.fixture(scope="module")
def dali(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """What DALI's dynamic mode gives for the operators, and how it behaves."""
    python = os.environ.get("FOREBAY_DALI_PYTHON")
    if not python:
        pytest.skip("FOREBAY_DALI_PYTHON names no Python with DALI")
    folder = tmp_path_factory.mktemp("dynamic")
    command = [python, str(HERE / "record_dynamic.py"), str(folder / "operators.npz"), str(folder / "behaviour.json")]
    subprocess.run(command, check=True)
    with np.load(folder / "operators.npz") as recorded:
        results = json.loads(recorded["about"].tobytes())["results"]
        data = recorded["data"].tobytes()
    return (results, data), json.loads((folder / "behaviour.json").read_text())["results"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("case", [case for case in CASES if case.reference == "dali"], ids=lambda case: case.name)
def test_equals_dali(case: Case, dali: tuple[Any, Any]) -> None:
    results, data = dali[0]
    want = results.get(case.name)
    if want is None:
        pytest.skip(f"DALI's dynamic mode has no {case.op}")
    if case.name in NOT_AS_IN_PIPELINES:
        pytest.skip("DALI's dynamic mode gives something else than its pipelines")
    if "error" in want:
        pytest.skip(f"DALI's dynamic mode does not run it: {want['error']}")
    got, layout = run(ndd, types, case)
    assert layout == want["layout"]
    for sample, wanted in zip(got, want["samples"], strict=True):
        count = int(np.prod(wanted["shape"]))
        want_sample = np.frombuffer(data, wanted["dtype"], count, wanted["offset"]).reshape(wanted["shape"])
        assert_close(sample, want_sample, case.bar)


@pytest.mark.parametrize("name", dynamic_cases.CASES)
def test_behaves_like_dali(name: str, dali: tuple[Any, Any]) -> None:
    got = json.loads(json.dumps(dynamic_cases.CASES[name](ndd, types)))
    assert dynamic_cases.agrees(got, dali[1][name]), (got, dali[1][name])


@pytest.mark.parametrize("name", dynamic_cases.CASES)
def test_the_cases_run(name: str) -> None:
    """Without DALI beside it, too."""
    assert dynamic_cases.CASES[name](ndd, types) is not None
