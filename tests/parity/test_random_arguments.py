"""Forebay's operators against a live DALI over arguments, shapes, layouts and types that hypothesis draws.

The same examples every time: few, and many in thorough runs. An operator's cases are drawn by `random_*.py`.
"""

from __future__ import annotations

import collections
import os
from typing import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, Verbosity, given, settings

import forebay
import forebay.fn
import forebay.math
import forebay.types

import random_arrays  # noqa: F401
import random_boxes  # noqa: F401
import random_geometry  # noqa: F401
import random_pictures  # noqa: F401
import random_sounds  # noqa: F401
import random_signals  # noqa: F401
from asked_dali import AskedDali
from case_messages import Outputs
from operator_cases import Case, run_all
from random_example import STRATEGIES
from recordings import is_thorough
from test_operators import assert_close

PYTHON = os.environ.get("FOREBAY_DALI_PYTHON")
EXAMPLES = int(os.environ.get("FOREBAY_EXAMPLES", "250" if is_thorough() else "3"))
SETTINGS = settings(max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, report_multiple_bugs=False,
                    phases=[Phase.generate], suppress_health_check=list(HealthCheck), verbosity=Verbosity.quiet)


@pytest.fixture(scope="module")
def dali() -> Iterator[AskedDali]:
    asked = AskedDali(str(PYTHON))
    yield asked
    asked.close()


class Comparison:
    """All that is compared of one operator: which part of small pictures differs is judged of all of them together."""

    def __init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.elements = self.unequal = self.nearest = self.elsewhere = 0
        self.difference = 0.0

    def add(self, got: Outputs, want: Outputs, bar: str) -> None:
        self.counts["compared"] += 1
        for (got_batch, got_layout), (want_batch, want_layout) in zip(got, want, strict=True):
            assert got_layout == want_layout
            for got_sample, want_sample in zip(got_batch, want_batch, strict=True):
                self._add_sample(got_sample, want_sample, bar)

    def _add_sample(self, got: np.ndarray, want: np.ndarray, bar: str) -> None:
        if bar == "exact" or want.size == 0:
            assert_close(got, want, bar)
            return
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        wanted = want.astype(np.float64)
        is_same = (got == want) | (np.isnan(got) & np.isnan(want))
        with np.errstate(invalid="ignore"):  # infinities that are the same
            difference = np.where(is_same, 0, got.astype(np.float64) - wanted)
        if bar == "nearest":
            self.nearest += got.size
            self.elsewhere += np.count_nonzero(difference)
            return
        if np.issubdtype(want.dtype, np.integer) and bar == "uint8":
            assert np.abs(difference).max() <= 1
            self.elements += got.size
            self.unequal += np.count_nonzero(difference)
            self.difference += difference.sum()
            return
        # Where numbers cancel each other, what is left is as exact as they were.
        peak = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
        limit = np.maximum(1e-4 * np.maximum(1, np.abs(wanted)), 1e-5 * peak)
        if want.dtype == np.float16:
            limit = np.maximum(limit, np.abs(np.spacing(want)))
        assert np.all(np.abs(difference) <= limit), f"up to {np.abs(difference).max()} apart, of {peak}"

    def judge(self) -> None:
        """The bars of pictures, with room for what chance does to few pixels."""
        room = 3 + self.elements**0.5 / 2
        assert self.unequal <= 0.01 * self.elements + room, f"{self.unequal} of {self.elements} elements differ"
        assert self.elsewhere <= 0.001 * self.nearest + 3, f"{self.elsewhere} of {self.nearest} from another place"
        assert abs(self.difference) <= 0.02 * self.elements + room
        if is_thorough():
            assert self.counts["compared"] >= EXAMPLES / 2, f"DALI takes too few of the cases: {dict(self.counts)}"


def described(case: Case) -> str:
    """The case, of large arrays only what they are."""

    def of(array: np.ndarray) -> str:
        return str(array.tolist()) if array.size <= 24 else f"{array.dtype}{list(array.shape)}"

    inputs = [[f"{of(sample)} of {sample.dtype}" for sample in batch] for batch in case.inputs]
    tensors = {name: [of(sample) for sample in batch] for name, batch in case.tensors.items()}
    return f"{case.op} of {inputs} in {case.layouts}, {case.args}, by tensors {tensors} {case.tensor_layouts}"


@pytest.mark.skipif(PYTHON is None, reason="no .peers/dali, and FOREBAY_DALI_PYTHON names no Python that has DALI")
@pytest.mark.parametrize("op", STRATEGIES)
def test_equals_dali(op: str, dali: AskedDali, record_property) -> None:
    comparison = Comparison()

    @SETTINGS
    @given(case=STRATEGIES[op])
    def compare(case: Case) -> None:
        want = dali.outputs(case)
        if want is None or isinstance(want, str):
            comparison.counts["ended" if want is None else "refused"] += 1
            return
        try:
            comparison.add(run_all(forebay, case), want, case.bar)
        except Exception as error:
            raise AssertionError(f"{error}\n{described(case)}") from error

    compare()
    record_property("counts", dict(comparison.counts))
    comparison.judge()
