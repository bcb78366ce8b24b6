"""The table that `forebay interop` prints: every pair proven, and what it says about read-only memory measured."""

from __future__ import annotations

import ctypes
import dataclasses
import json

import numpy as np
import pytest
from memory_cases import is_installed

from forebay.interop import conversion_table
from forebay.interop.__main__ import main
from forebay.interop.conversion_table import SIDES, Pair, pairs


def frozen(values: np.ndarray) -> np.ndarray:
    copy = np.array(values)
    copy.flags.writeable = False
    return copy


def writes_to_lent_memory(name: str) -> bool:
    """Polars before version 2 does, to pyarrow's as to ours: only where an element is assigned."""
    if name != "polars":
        return False
    pa = pytest.importorskip("pyarrow")
    array = pa.array([1.0, 2.0], pa.float32())
    series = pytest.importorskip("polars").Series(array)
    series[0] = 7.0
    return bool(array[0].as_py() == 7.0)


@pytest.fixture(scope="module")
def found() -> list[Pair]:
    return list(pairs())


@pytest.fixture
def found_before(found: list[Pair], monkeypatch: pytest.MonkeyPatch) -> None:
    """To print them they need not be proven once more."""
    monkeypatch.setattr("forebay.interop.__main__.pairs", lambda: iter(found))


def test_the_conversion_table_proves_every_pair(found: list[Pair]) -> None:
    installed = [name for name in SIDES if is_installed(name)]
    proven = {(pair.source, pair.target): pair for pair in found if pair.proven}
    assert len(proven) == len(installed) * (len(installed) - 1)
    for pair in proven.values():
        assert pair.shared or pair.bytes_copied, pair
        assert pair.owner != "lost", pair
        assert pair.read_only != "lost" or writes_to_lent_memory(pair.target), pair
    assert all(pair.reason for pair in found if not pair.proven)


def test_the_conversion_table_measures_what_is_written() -> None:
    assert conversion_table._read_only_of(SIDES["numpy"], SIDES["numpy"], "numpy") == "-"

    def poke(array: np.ndarray, value: float) -> None:
        ctypes.c_float.from_address(array.ctypes.data).value = value

    immutable = dataclasses.replace(SIDES["numpy"], make=frozen)
    assert conversion_table._read_only_of(immutable, SIDES["numpy"], "numpy") == "kept"
    assert conversion_table._read_only_of(immutable, dataclasses.replace(SIDES["numpy"], write=poke), "numpy") == "lost"
    if is_installed("torch"):
        assert conversion_table._read_only_of(immutable, SIDES["torch"], "torch") == "copied"


@pytest.mark.skipif(not any(map(is_installed, SIDES.keys() - {"numpy"})), reason="NumPy is the only framework")
@pytest.mark.usefixtures("found_before")
@pytest.mark.parametrize(("form", "said"), [([], "read-only"), (["--markdown"], "| from ")])
def test_the_table_is_printed(capsys: pytest.CaptureFixture[str], form: list[str], said: str) -> None:
    assert main(form) == 0
    assert said in capsys.readouterr().out


@pytest.mark.usefixtures("found_before")
def test_the_table_is_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {(row["source"], row["target"]) for row in rows} >= {("numpy", "torch"), ("torch", "numpy")}


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__]))
