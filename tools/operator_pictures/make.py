"""Makes the pictures: calls each operator as its row says and puts the tiles side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from operator_pictures import tiles
from operator_pictures.row import Row, Tile

import forebay.dynamic as ndd

LAYOUTS = {3: "HWC", 4: "FHWC"}


def as_argument(value: Any) -> Any:
    """Arrays of pictures get a layout; lists become batches."""
    if isinstance(value, list):
        return ndd.Batch([as_argument(sample) for sample in value])
    if isinstance(value, np.ndarray) and value.dtype == np.uint8:
        return ndd.as_tensor(value, layout=LAYOUTS.get(value.ndim))
    return value


def as_arrays(result: Any) -> list[Any]:
    """The results of a call as arrays; a batch as a list of them."""
    if isinstance(result, tuple):
        return [array for one in result for array in as_arrays(one)]
    if isinstance(result, ndd.Batch):
        return [[np.asarray(sample) for sample in result.tensors]]
    return [np.asarray(result)]


def call(name: str, tile: Tile, row: Row, seed: int | None) -> list[Any]:
    function: Any = ndd
    for part in name.split("."):
        function = getattr(function, part)
    inputs = [as_argument(value) for value in (*row.inputs(), *tile.inputs)]
    random = {} if seed is None else {"rng": ndd.random.RNG(seed=seed)}
    return as_arrays(function(*inputs, **tile.arguments, **random))


def picture(name: str, row: Row, is_random: bool) -> np.ndarray:
    """Height x width x red, green, blue, opacity."""
    shown = [] if row.before is None else [row.before()]
    calls = row.tiles()
    seeds = row.seeds[: len(calls)] if is_random else [None] * len(calls)
    for tile, seed in zip(calls, seeds, strict=True):
        results = call(name, tile, row, seed)
        shown.append(row.show(results, tile.arguments))
    return tiles.in_row(shown)
