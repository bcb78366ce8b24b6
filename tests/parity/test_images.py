"""Forebay's decoders, crop, resize and normalise family against DALI's, case by case, as `test_operators.py` does."""

from __future__ import annotations

import json

import numpy as np
import pytest
from image_cases import CASES
from operator_cases import Case, run
from recordings import recording
from test_operators import assert_close

import forebay
import forebay.fn
import forebay.types


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    with np.load(recording("images.npz", tmp_path_factory)) as recorded:
        return json.loads(recorded["about"].tobytes())["results"], recorded["data"].tobytes()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_equals_dali(case: Case, expected) -> None:
    results, data = expected
    batch, layout = run(forebay, case)
    assert layout == results[case.name]["layout"]
    for got, row in zip(batch, results[case.name]["samples"], strict=True):
        count = int(np.prod(row["shape"]))
        want = np.frombuffer(data, row["dtype"], count, row["offset"]).reshape(row["shape"])
        if case.bar == "integer":
            assert got.dtype == want.dtype and np.abs(got.astype(np.int64) - want).max() <= 1
            assert np.mean(got == want) >= 0.99
        else:
            assert_close(got, want, case.bar)


def test_pillow_numerics_equal_pillow() -> None:
    # From 13 on, Pillow takes the vertical pass first where the height shrinks much more than the width.
    pytest.importorskip("PIL", minversion="13")
    image = pytest.importorskip("PIL.Image")
    data = np.random.default_rng(3).integers(0, 256, (37, 53, 3), np.uint8)
    filters = {"INTERP_NN": "NEAREST", "INTERP_LINEAR": "BILINEAR", "INTERP_CUBIC": "BICUBIC",
               "INTERP_LANCZOS3": "LANCZOS"}
    for ours, theirs in filters.items():
        for size in ((12, 90), (20, 20), (80, 7)):
            case = Case("pillow", "resize", [[data]], {"size": size, "numerics": "pillow"}, ["HWC"])
            case.args["interp_type"] = getattr(forebay.types, ours)
            batch, _ = run(forebay, case)
            expected = image.fromarray(data).resize(size[::-1], getattr(image.Resampling, theirs))
            np.testing.assert_array_equal(batch[0], np.asarray(expected))
