"""Pipelines that DALI saved, as `record_saved.py` has recorded them, read and run by Forebay: what DALI gives that reads the
same bytes. Damaged, they are read or refused."""

from __future__ import annotations

import json
import random
import resource
from typing import Any, Iterator

import numpy as np
import operator_cases
import pytest
import saved_cases
from recordings import recording
from saved_cases import first_of
from test_operators import assert_close
from test_saved_pipelines import tolerance

import forebay
import forebay.fn
from forebay.errors import InvalidError

OPERATORS = saved_cases.operators()
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Recorded:
    """What DALI has saved, and given."""

    def __init__(self, file: Any) -> None:
        self.about = json.loads(file["about"].tobytes())
        self._data = file["data"].tobytes()

    def saved(self, kind: str, name: str) -> bytes:
        return self._array(self.about[kind][name]["saved"]).tobytes()

    def outputs(self, kind: str, name: str) -> Iterator[tuple[list[np.ndarray], str]]:
        """Of each output the samples and the layout."""
        for output in self.about[kind][name]["outputs"]:
            yield [self._array(row) for row in output["samples"]], output["layout"]

    def _array(self, row: dict[str, Any]) -> np.ndarray:
        count = int(np.prod(row["shape"]))
        return np.frombuffer(self._data, row["dtype"], count, row["offset"]).reshape(row["shape"])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    with np.load(recording("saved.npz", tmp_path_factory)) as file:
        return Recorded(file)


@pytest.mark.parametrize("name", saved_cases.WITHOUT_FILES)
def test_whole_pipelines(name: str, recorded: Recorded) -> None:
    loaded = forebay.Pipeline.deserialize(recorded.saved("pipelines", name))
    got = first_of(loaded, saved_cases.CASES[name].feeds)
    for place, ((batch, layout), (want, want_layout)) in enumerate(zip(got, recorded.outputs("pipelines", name), strict=True)):
        assert layout == want_layout, f"output {place}"
        for sample, wanted in zip(batch, want, strict=True):
            assert (sample.dtype, sample.shape) == (wanted.dtype, wanted.shape), f"output {place}"
            np.testing.assert_allclose(sample, wanted, **tolerance(name, wanted), err_msg=f"output {place}")


@pytest.mark.parametrize("case", OPERATORS, ids=lambda case: case.name)
def test_operators(case: operator_cases.Case, recorded: Recorded) -> None:
    loaded = forebay.Pipeline.deserialize(recorded.saved("operators", case.name))
    got = first_of(loaded, saved_cases.feeds_of(case))
    for (batch, layout), (want, want_layout) in zip(got, recorded.outputs("operators", case.name), strict=True):
        assert layout == want_layout
        for sample, wanted in zip(batch, want, strict=True):
            assert_close(sample, wanted, "uint8" if case.bar == "integer" else case.bar)


def assert_read_or_refused(data: bytes) -> None:
    try:
        forebay.Pipeline.deserialize(data)
    except InvalidError as error:
        assert str(error)


@pytest.mark.parametrize("name, step", [("served", 1), ("nested_branches", 7)])
def test_cut_off(name: str, step: int, recorded: Recorded) -> None:
    whole = recorded.saved("pipelines", name)
    for end in range(0, len(whole), step):
        assert_read_or_refused(whole[:end])


def test_flipped_bits(recorded: Recorded) -> None:
    """None takes memory beyond what a pipeline takes."""
    draw = random.Random(5)
    every = [recorded.saved("pipelines", name) for name in saved_cases.WITHOUT_FILES]
    every += [recorded.saved("operators", case.name) for case in OPERATORS]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(800):
        damaged = bytearray(draw.choice(every))
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        assert_read_or_refused(bytes(damaged))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 512 << 10  # KiB
