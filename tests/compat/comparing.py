"""How an outcome of Forebay's differs from DALI's, in one of a few words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from outcomes import elements

LENIENT = "gives a value where DALI raises"
RAISES = "raises where DALI gives a value"
KIND = "raises what DALI's `except` does not catch"
VALUE = "gives another value"
WARNINGS = "warns otherwise"
DIED = "ends the process"

PICTURES = "values/"  # the kind whose bytes may be one apart, as docs/design/parity.md has it
TOLERANCE = 1e-4
FEW = 4  # bytes of pictures so small that a hundredth is next to none


def _numbers_alike(got: dict[str, Any], want: dict[str, Any], loosely: bool) -> bool:
    if got.keys() != want.keys() or any(got[key] != want[key] for key in want if key != "data"):
        return False
    if np.dtype(want.get("array") or want["batch"]).kind not in "biuf":
        return got["data"] == want["data"]
    a, b = elements(got).astype(np.float64), elements(want).astype(np.float64)
    if a.shape != b.shape:
        return False
    if str(want.get("array") or want["batch"]).startswith("float"):
        with np.errstate(invalid="ignore"):
            close = abs(a - b) <= TOLERANCE * np.maximum(1, abs(b))
        return bool(np.all((a == b) | (np.isnan(a) & np.isnan(b)) | close))
    if not loosely or not a.size:
        return bool(np.array_equal(a, b))
    apart = np.count_nonzero(a != b)
    return bool(abs(a - b).max() <= 1 and (apart <= FEW or (apart <= 0.01 * a.size and abs(np.mean(a - b)) <= 0.02)))


def alike(got: Any, want: Any, loosely: bool = False) -> bool:
    if isinstance(want, dict) and isinstance(got, dict):
        if "set" in want and "set" in got:  # of names and words, there may be more
            return set(want["set"]) <= set(got["set"])
        if "data" in want and "data" in got:
            return _numbers_alike(got, want, loosely)
        return got.keys() == want.keys() and all(alike(got[key], want[key], loosely) for key in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(got) == len(want) and all(alike(a, b, loosely) for a, b in zip(got, want))
    if isinstance(want, float) and isinstance(got, (int, float)):
        return math.isclose(got, want, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or (got != got and want != want)
    return type(got) is type(want) and bool(got == want)


def difference(name: str, got: dict[str, Any], want: dict[str, Any]) -> str:
    """Empty where a script that runs with DALI does the same: what an `except` catches is caught, too."""
    if "died" in got:
        return DIED
    if "raises" in want:
        if "raises" not in got:
            return LENIENT
        if want["raises"][0] not in got["raises"]:
            return KIND
    elif "raises" in got:
        return RAISES
    elif not alike(got["value"], want["value"], name.startswith(PICTURES)):
        return VALUE
    return "" if got.get("warns", []) == want.get("warns", []) else WARNINGS
