"""How operators that draw numbers are shown: bars that say how often which came."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from operator_pictures import tiles
from operator_pictures.row import Arguments, Inputs, Row, Tile

COUNT = 4000


def drawn(low: float, high: float, calls: list[Arguments], count: int = 28, inputs: Inputs = ()) -> Row:
    """A row of bars for the numbers in `count` equal parts of a range."""

    def show(results: list[Any], arguments: Arguments) -> np.ndarray:
        del arguments
        return tiles.bars(tiles.histogram(results[0], low, high, count), width=112 // count)

    shown = [Tile({**call, "shape": [COUNT]}, Tile(call).caption()) for call in calls]
    note = f"How often numbers from {low:g} to {high:g} came in {COUNT} draws."
    return Row(shown, lambda: inputs, None, show=show, note=note)


def picked(numbers: int, calls: list[Arguments], inputs: Inputs = ()) -> Row:
    """A row of a bar for each of the first numbers from 0 on."""
    row = drawn(-0.5, numbers - 0.5, calls, numbers, inputs)
    return dataclasses.replace(row, note=f"How often 0 to {numbers - 1} came in {COUNT} draws.")


ROWS = {
    "random.beta": drawn(0, 1, [dict(alpha=0.5, beta=0.5), dict(alpha=2, beta=5), dict(alpha=8, beta=8)]),
    "random.choice": picked(5, [dict(p=[0.1, 0.2, 0.4, 0.2, 0.1]), dict(p=[0.5, 0.0, 0.0, 0.2, 0.3])], (np.arange(5),)),
    "random.coin_flip": picked(2, [dict(probability=0.5), dict(probability=0.2)]),
    "random.normal": drawn(-4, 4, [dict(mean=0, stddev=1), dict(mean=1.5, stddev=0.5)]),
    "random.uniform": drawn(-2, 2, [dict(range=[-1.0, 1.0]), dict(range=[0.5, 2.0]), dict(values=[-1.5, 0.0, 0.5])]),
}
