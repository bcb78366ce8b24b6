"""Results are what they were: the same bits with 1 and 2 threads, and where they are exact those of `hashes.json`."""

from __future__ import annotations

import json
import pathlib

import pytest
import record_hashes

import guard_cases
from forebay import _core

OF_NUMPY = ("operator: ", "image: ")  # cases whose inputs NumPy's functions make


@pytest.fixture(scope="module")
def found() -> tuple[dict, dict]:
    return record_hashes.record(1), record_hashes.record(2)


def test_threads_change_nothing(found: tuple[dict, dict]) -> None:
    one, two = found
    assert record_hashes.differences(two, one) == []


def test_exact_results_are_those_that_were_recorded(found: tuple[dict, dict]) -> None:
    wanted = json.loads(record_hashes.CHECKED_IN.read_text())
    got = found[0]
    different = record_hashes.differences(got, wanted, ("exact",))
    if got["inputs"] != wanted["inputs"]:
        different = [line for line in different if not line.startswith(tuple(f"exact: {part}" for part in OF_NUMPY))]
    assert different == [], "meant so? then tests/guard/record_hashes.py --update"


def test_every_operator_has_a_case() -> None:
    parity = {case.op for case in guard_cases.operator_cases.CASES + guard_cases.image_cases.CASES}
    source = (record_hashes.HERE / "session_cases.py").read_text()
    for row in _core.operator_table():
        name = row["name"]
        in_session = f"fn.{name}(" in source or (
            name in ("_merge", "_predicate") and "enable_conditionals=True" in source
        )
        assert name in parity or in_session, f"{name} has no case in tests/parity or tests/guard/session_cases.py"


def test_only_new_cases_are_added(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "hashes.json"
    monkeypatch.setattr(record_hashes, "CHECKED_IN", file)
    file.write_text(json.dumps({"inputs": "old", "exact": {"a": "1", "b": "2", "gone": "3"}}))
    found = {"inputs": "new", "exact": {"a": "1", "b": "other", "c": "4"}}
    assert record_hashes.add_new(found) == ["exact: b: 2 became other"]
    assert json.loads(file.read_text()) == {"inputs": "new", "exact": {"a": "1", "b": "2", "c": "4"}}
