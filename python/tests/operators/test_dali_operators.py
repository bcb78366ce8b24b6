"""What is said of DALI's operators: which are here, and which depart from DALI's."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest

from forebay.compat import operators
from forebay.fn import absent_names, dali_names, generate

FOUND = {each.name: each for each in operators.operators()}
PARTS_OF_THE_INTERFACE = {
    "all", "arithmetic", "conditionals", "constants", "iterators", "modules", "pipeline_def", "subscripts", "tensors",
}


@pytest.mark.parametrize(("name", "state", "operator", "family"), [
    ("transpose", "same", "transpose", "shape"), ("transforms.shear", "close", "transforms.shear", "transforms"),
    ("decoders.image", "departs", "decoders.image", "decoders"), ("mfcc", "departs", "mfcc", "audio"),
    ("image_decoder", "departs", "decoders.image", "decoders"), ("video_reader", "absent", "", ""),
    ("dl_tensor_python_function", "same", "dl_tensor_python_function", "python"),
])
def test_states(name: str, state: str, operator: str, family: str) -> None:
    found = FOUND[name]
    assert (found.state, found.operator, found.family) == (state, operator, family)
    assert bool(found.departures) == (state == "departs")


def test_every_operator_of_the_table_has_a_family() -> None:
    assert {row["name"] for row in generate.table() if not row["family"]} == set()


def test_operators_that_match_dali_bear_names_of_dali() -> None:
    matching = {row["name"] for row in generate.table() if row["source"].startswith("DALI")}
    assert matching - set(dali_names.IN_FN) == set()


def test_random_operators_depart() -> None:
    random = {row["name"] for row in generate.table() if row["is_random"]}
    assert {each.state for each in FOUND.values() if each.operator in random} == {"departs"}


def test_departures_are_of_operators() -> None:
    for departure in operators.departures():
        for part in set(departure.operator.split(", ")) - PARTS_OF_THE_INTERFACE:
            assert any(operators.Departure(part, "", "").is_of(name) for name in FOUND), f"{part!r} is no operator"


@pytest.mark.parametrize("path", dali_names.ELSEWHERE)
def test_what_lies_beside_fn_is_there(path: str) -> None:
    module, _, name = path.rpartition(".")
    for library in {"pytorch": ["torch"], "jax": ["jax"], "numba": ["numba"]}.get(path.split(".")[1], []):
        pytest.importorskip(library)
    assert callable(getattr(importlib.import_module(f"forebay.{module}"), name))


def test_what_is_absent_cannot_be_had() -> None:
    assert {each.name for each in FOUND.values() if each.state == "absent"} == set(absent_names.absent())
    for name in dali_names.IN_FN:
        *folders, short = f"forebay.fn.{name}".split(".")
        module = sys.modules.get(".".join(folders))
        assert (short in vars(module) if module else False) == (name not in absent_names.absent())


def test_the_program_prints_them() -> None:
    program = [sys.executable, "-m", "forebay.compat", "--operators"]
    lines = subprocess.run(program, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [line.split()[0] for line in lines[: len(FOUND)]] == list(FOUND)
    printed = json.loads(subprocess.run([*program, "--json"], check=True, capture_output=True, text=True).stdout)
    assert printed["dali"] == dali_names.VERSION
    assert sum(printed["counts"].values()) == len(printed["operators"]) == len(FOUND)
