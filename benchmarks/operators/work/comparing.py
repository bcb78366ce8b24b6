"""Whether both libraries did the same: their outputs, by the bars of tests/parity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Outputs = dict[str, np.ndarray]
DEVIATIONS = 6  # of a mean of what is drawn


def _exact(distance: np.ndarray, want: np.ndarray) -> bool:
    return not distance.any()


def _close(distance: np.ndarray, want: np.ndarray) -> bool:
    return bool(np.all(distance <= 1e-4 * np.maximum(1, np.abs(want))))


def _bytes(distance: np.ndarray, want: np.ndarray) -> bool:
    return distance.max() <= 1 and np.mean(distance == 0) >= 0.99


def _few(distance: np.ndarray, want: np.ndarray) -> bool:
    """Where a lightness that is one level off makes a dark colour several."""
    return np.mean(distance <= 1) >= 0.9999 and np.mean(distance == 0) >= 0.99


def _nearest(distance: np.ndarray, want: np.ndarray) -> bool:
    return np.mean(distance == 0) >= 0.999


BARS: dict[str, Callable[[np.ndarray, np.ndarray], bool]] = {
    "exact": _exact, "close": _close, "bytes": _bytes, "few": _few, "nearest": _nearest}


def _numbers(got: np.ndarray, want: np.ndarray, bar: str) -> str:
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype} {got.shape}, not {want.dtype} {want.shape}"
    if not got.size:
        return ""
    found, wanted = got.astype(np.float64), want.astype(np.float64)
    distance = np.where(np.isnan(found) & np.isnan(wanted), 0.0, np.abs(found - wanted))
    if BARS[bar](distance, wanted):
        return ""
    return f"{np.mean(distance > 0):.2%} of the numbers differ, by {distance.max():g} at most"


def _drawn(got: np.ndarray, want: np.ndarray) -> str:
    """Means over samples of their sizes, means and deviations."""
    for what, mine, other in zip(("size", "mean", "deviation"), got.T, want.T):
        spread = ((mine.var() + other.var()) / len(mine)) ** 0.5
        if abs(mine.mean() - other.mean()) > DEVIATIONS * spread + 1e-6 * abs(other.mean()):
            return f"the {what} of what is drawn is {mine.mean():g}, not {other.mean():g}"
    return ""


def difference(got: Outputs, want: Outputs, bar: str) -> str:
    """What differs, or nothing."""
    if got.keys() != want.keys():
        return f"outputs {sorted(got)}, not {sorted(want)}"
    for key, array in got.items():
        place, sample = key.split()
        if sample == "drawn":
            found = _drawn(array, want[key])
        elif bar == "drawn":
            same = array.dtype == want[key].dtype and array.ndim == want[key].ndim
            theirs = want[key]
            found = "" if same else f"{array.dtype} of rank {array.ndim}, not {theirs.dtype} of rank {theirs.ndim}"
        else:
            found = _numbers(array, want[key], bar)
        if found:
            return f"output {place}: {found}"
    return ""
