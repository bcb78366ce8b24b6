"""What scripts say in DALI's language, case by case: Forebay does what DALI does, apart from what is listed."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import pytest

from comparing import difference
from known_differences import FOREBAY, HERE, LISTED, listed, recorded
from running import outcomes_by

RECORDED = recorded()
KNOWN = listed()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What DALI does: recorded, and in thorough runs what a live one does."""
    python = os.environ.get("FOREBAY_DALI_PYTHON")
    if os.environ.get("FOREBAY_THOROUGH") != "1" or not python:
        return RECORDED
    path = tmp_path_factory.mktemp("dali") / "outcomes.json"
    subprocess.run(
        [python, "-W", "ignore", str(HERE / "record_compat.py"), str(path)], check=True, capture_output=True
    )
    return json.loads(path.read_text())["results"]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return outcomes_by(FOREBAY, tmp_path_factory.mktemp("forebay"))


@pytest.mark.parametrize("name", RECORDED)
def test_does_what_dali_does(name: str, expected: dict[str, Any], outcomes: dict[str, Any]) -> None:
    got, want = outcomes[name], expected[name]
    how = difference(name, got, want)
    if name in KNOWN and not how:
        pytest.fail(f"{name} no longer differs: take it out of {LISTED.name} (known_differences.py --mend does)")
    assert how == KNOWN.get(name, ""), f"Forebay {how or 'does the same'}\nDALI:    {want}\nForebay: {got}"


def test_what_is_listed_is_recorded() -> None:
    assert KNOWN.keys() <= RECORDED.keys()


def test_every_case_is_recorded(outcomes: dict[str, Any]) -> None:
    """But for those that end DALI's process, which are not compared."""
    assert RECORDED.keys() <= outcomes.keys()
    assert not [name for name, outcome in outcomes.items() if "died" in outcome]
    unrecorded = outcomes.keys() - RECORDED.keys()
    assert not unrecorded, "`make generate` records new cases"


def test_differences_are_listed_once() -> None:
    groups = json.loads(pathlib.Path(LISTED).read_text())
    names = [name for reasons in groups.values() for listed_names in reasons.values() for name in listed_names]
    assert len(names) == len(set(names))
