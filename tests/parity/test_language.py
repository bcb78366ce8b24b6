"""Forebay beside DALI in what scripts say around the operators: the same values, and errors that the same `except`
clauses catch."""

from __future__ import annotations

import builtins
import json
from typing import Any

import pytest

import forebay

import language_bool_cases  # noqa: F401 (adds its cases)
import language_cases  # noqa: F401
import language_mistake_cases  # noqa: F401
import language_value_cases  # noqa: F401
from language import CASES
from recordings import recording


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return json.loads(recording("language.json", tmp_path_factory).read_text())["results"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_does_what_dali_does(name: str, expected: dict[str, Any]) -> None:
    want = expected[name]
    if "error" in want:
        with pytest.raises(getattr(builtins, want["error"])):
            CASES[name](forebay)
        return
    assert json.loads(json.dumps(CASES[name](forebay))) == want["value"]
