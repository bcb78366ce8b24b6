"""Forebay beside DALI in what scripts say around the operators: the same values, and errors that the same `except`
clauses catch. With FOREBAY_DALI_PYTHON set, that DALI runs the cases; else what it did is in `language.json`."""

from __future__ import annotations

import builtins
import json
import os
import pathlib
import subprocess
from typing import Any

import pytest

import forebay

import language_cases  # noqa: F401 (adds its cases)
import language_value_cases  # noqa: F401
from language import CASES

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = HERE / "language.json"
    python = os.environ.get("FOREBAY_DALI_PYTHON")
    if python:
        path = tmp_path_factory.mktemp("dali") / "language.json"
        subprocess.run([python, str(HERE / "record_language.py"), str(path)], check=True)
    return json.loads(path.read_text())["results"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_does_what_dali_does(name: str, expected: dict[str, Any]) -> None:
    want = expected[name]
    if "error" in want:
        with pytest.raises(getattr(builtins, want["error"])):
            CASES[name](forebay)
        return
    assert json.loads(json.dumps(CASES[name](forebay))) == want["value"]
