"""What Forebay's operators draw is distributed as what DALI's draw; the same bits by any threads."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from draw_cases import CASES, run, shares_below
from recordings import recording

import forebay
import forebay.fn
import forebay.types

SAMPLES = 5000
SIGMAS = 4.5  # some 5000 shares are compared, of which one in 150,000 may be so far off
FEW = 3 / SAMPLES  # beyond what DALI drew least or most, where chance is not spread as elsewhere


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return json.loads(recording("draws.json", tmp_path_factory).read_text())


@pytest.mark.parametrize("name", CASES)
def test_distributed_as_dali(name: str, recorded: Any) -> None:
    drawn = run(forebay, name, SAMPLES)
    assert set(drawn) == set(recorded["results"][name])
    for number, (limits, wanted) in recorded["results"][name].items():
        shares = np.array(shares_below(drawn[number], limits))
        expected = np.array(wanted)
        variance = np.maximum(expected * (1 - expected), 1 / recorded["samples"])
        deviation = np.sqrt(variance * (1 / SAMPLES + 1 / recorded["samples"]))
        assert np.all(np.abs(shares - expected) <= SIGMAS * deviation + FEW), (number, limits, shares, expected)
