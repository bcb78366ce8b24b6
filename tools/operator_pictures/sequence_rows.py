"""How operators on sequences, batches and whole axes are shown: reductions, class numbers, orders."""

from __future__ import annotations

from typing import Any

import numpy as np
from operator_pictures import scenes, tiles
from operator_pictures.row import Arguments, Row, Tile

import forebay.dynamic as ndd


def four_hours() -> np.ndarray:
    return tiles.in_grid(samples())


def show_frames(results: list[Any], arguments: Arguments) -> np.ndarray:
    """The frames of all results, two in a row."""
    del arguments
    frames = [frame for result in results for frame in (result if result.ndim == 4 else [result])]
    return tiles.in_grid(frames)


def samples() -> list[np.ndarray]:
    return list(scenes.hours())


def show_batch(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return tiles.in_grid(results[0])


def show_order(results: list[Any], arguments: Arguments) -> np.ndarray:
    """The four pictures in the order that was drawn."""
    del arguments
    return tiles.in_grid([scenes.hours()[int(place)] for place in results[0]])


def show_planes(results: list[Any], arguments: Arguments) -> np.ndarray:
    """The plane of each class at half the size, three in a row."""
    del arguments
    planes = [plane[::2, ::2] for plane in results[0]]
    return tiles.in_column([tiles.in_row(planes[:4], 2), tiles.in_row(planes[4:], 2)], 2)


def fit(values: np.ndarray, arguments: Arguments) -> np.ndarray:
    """Numbers between the smallest and the largest as bytes; bytes as they are."""
    del arguments
    return values if values.dtype == np.uint8 else tiles.levels(values, values.min(), values.max())


def show_reduced(results: list[Any], arguments: Arguments) -> np.ndarray:
    """What is left of a picture: a strip where rows or columns are reduced, a grey picture where channels are."""
    values = fit(results[0], arguments)
    if arguments["axes"] == 2:
        return tiles.coloured(values)
    return values[None].repeat(12, 0) if arguments["axes"] == 0 else values[:, None].repeat(12, 1)


def reduced(takes_mean: bool = False) -> Row:
    means = [(np.asarray(ndd.reductions.mean(scenes.lake(), axes=axis)),) if takes_mean else () for axis in (0, 1, 2)]
    calls = [Tile(dict(axes=axis), inputs=means[axis]) for axis in (0, 1, 2)]
    return Row(calls, show=show_reduced, note="Numbers other than bytes: black is the least, white the largest.")


ROWS = {
    "batch_permutation": Row(
        [Tile(dict(batch_size=4), "an order that was drawn")] * 2,
        lambda: (),
        four_hours,
        "the samples of a batch",
        show_order,
        (4, 6),
        "They are put in that order by `fn.permute_batch`.",
    ),
    "element_extract": Row(
        [dict(element_map=[3]), dict(element_map=[0, 2])],
        lambda: (scenes.hours(),),
        four_hours,
        "the frames of a sequence",
        show_frames,
    ),
    "one_hot": Row(
        [dict(num_classes=7, axis=0, on_value=255, dtype="uint8")],
        lambda: (scenes.labels(),),
        lambda: tiles.labels_in_colours(scenes.labels()),
        "class numbers, in colours",
        show_planes,
        note="There is a plane for each class.",
    ),
    "permute_batch": Row(
        [Tile(dict(indices=ndd.Batch([3, 2, 1, 0])), "`indices` 3, 2, 1 and 0")],
        lambda: (samples(),),
        four_hours,
        "the samples of a batch",
        show_batch,
    ),
    "reductions.max": reduced(),
    "reductions.mean": reduced(),
    "reductions.mean_square": reduced(),
    "reductions.min": reduced(),
    "reductions.rms": reduced(),
    "reductions.std_dev": reduced(takes_mean=True),
    "reductions.sum": reduced(),
    "reductions.variance": reduced(takes_mean=True),
    "sequence_rearrange": Row(
        [dict(new_order=[3, 2, 1, 0]), dict(new_order=[1, 1, 3])],
        lambda: (scenes.hours(),),
        four_hours,
        "the frames of a sequence",
        show_frames,
    ),
}
