"""The augmentations, policies and suites of `auto_aug` against DALI's; live, where FOREBAY_DALI_PYTHON is set."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest

import auto_aug_cases as cases
import forebay
import forebay.auto_aug

HERE = pathlib.Path(__file__).parent
PYTHON = os.environ.get("FOREBAY_DALI_PYTHON")

pytestmark = pytest.mark.skipif(not PYTHON, reason="FOREBAY_DALI_PYTHON names no Python with nvidia-dali")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("dali") / "auto_aug.npz"
    subprocess.run([str(PYTHON), str(HERE / "auto_aug_cases.py"), str(path)], check=True)
    with np.load(path) as recorded:
        return dict(recorded)


def test_policies_and_suites_are_dalis(expected: Any) -> None:
    want = json.loads(expected["tables"].tobytes())
    got = json.loads(json.dumps(cases.tables(forebay)))
    assert got.keys() == want.keys()
    for name in want:
        assert got[name] == want[name], name


@pytest.mark.parametrize("name", cases.AUGMENTATIONS)
def test_equals_dali(name: str, expected: Any) -> None:
    for case in cases.cases():
        if case[0] != name:
            continue
        for place, got in enumerate(cases.run(forebay, *case)):
            want = expected["/".join(map(str, (*case, place)))]
            assert got.shape == want.shape and got.dtype == want.dtype, case
            distance = np.abs(got.astype(int) - want)
            assert distance.max() <= 1 and np.mean(distance == 0) >= 0.99, (case, place, distance.max())
