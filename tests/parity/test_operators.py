"""Forebay's operators against DALI's, case by case."""

from __future__ import annotations

import json

import numpy as np
import pytest

import forebay
import forebay.fn
import forebay.math
import forebay.types

from operator_cases import CASES, Case, run
from recordings import recording


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    with np.load(recording("operators.npz", tmp_path_factory)) as recorded:
        results = json.loads(recorded["about"].tobytes())["results"]
        data = recorded["data"].tobytes()
    return {name: (result["layout"], [_array(data, sample) for sample in result["samples"]]) for name, result in
            results.items()}


def _array(data: bytes, sample: dict) -> np.ndarray:
    count = int(np.prod(sample["shape"]))
    return np.frombuffer(data, sample["dtype"], count, sample["offset"]).reshape(sample["shape"])


def assert_close(got: np.ndarray, want: np.ndarray, bar: str) -> None:
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    if got.size == 0:
        return
    distance = np.abs(got.astype(np.float64) - want.astype(np.float64))
    if bar == "exact":
        np.testing.assert_array_equal(got, want)
    elif bar == "sound":
        is_whole = np.issubdtype(got.dtype, np.integer)
        assert distance.max() <= (max(1, 1e-4 * np.iinfo(got.dtype).max) if is_whole else 1e-4)
    elif bar == "nearest":
        assert np.mean(distance == 0) >= 0.999
    elif np.issubdtype(got.dtype, np.integer) and (bar == "uint8" or got.dtype.itemsize < 4):
        assert distance.max() <= 1
        assert np.mean(distance == 0) >= 0.99
        assert abs(np.mean(got.astype(np.float64) - want)) <= 0.02
    else:
        same = (got == want) | (np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64)))
        limit = 1e-4 * np.maximum(1, np.abs(want.astype(np.float64)))
        assert np.all(same | (distance <= limit))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_equals_dali(case: Case, expected) -> None:
    want_layout, want = expected[case.name]
    got, layout = run(forebay, case)
    assert layout == want_layout
    for got_sample, want_sample in zip(got, want, strict=True):
        assert_close(got_sample, want_sample, case.bar)
