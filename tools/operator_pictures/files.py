"""The pictures as files: written where they are not as they would be made, and checked for that."""

from __future__ import annotations

import pathlib

import numpy as np
from operator_pictures import make, table
from PIL import Image

from forebay.fn import generate

SUFFIX = ".webp"
# What pictures of operators that are `close` may differ by: the mean over all numbers, of 255 levels.
CLOSE = 0.25


def difference(path: pathlib.Path, pixels: np.ndarray) -> float:
    """The mean difference of the numbers in a file from those that it should have; infinite if it has not as many."""
    if not path.exists():
        return np.inf
    with Image.open(path) as image:
        stored = np.asarray(image.convert("RGBA"))
    if stored.shape != pixels.shape:
        return np.inf
    return float(np.abs(stored.astype(np.int32) - pixels).mean())


def is_current(path: pathlib.Path, pixels: np.ndarray, is_exact: bool) -> bool:
    return difference(path, pixels) <= (0 if is_exact else CLOSE)


def unused(folder: pathlib.Path) -> list[pathlib.Path]:
    """Files that belong to no row."""
    return [path for path in sorted(folder.glob("*")) if path.name not in {name + SUFFIX for name in table.ROWS}]


def shown_operators() -> list[generate.Row]:
    return [operator for operator in generate.table() if operator["name"] in table.ROWS]


def stale(folder: pathlib.Path) -> dict[pathlib.Path, np.ndarray]:
    """The files that are not what would be made now, with what would be."""
    result = {}
    for operator in shown_operators():
        name = operator["name"]
        pixels = make.picture(name, table.ROWS[name], operator["is_random"])
        path = folder / (name + SUFFIX)
        if not is_current(path, pixels, operator["is_exact"]):
            result[path] = pixels
    return result


def write(folder: pathlib.Path) -> None:
    """Writes the pictures that are not current, removes those of no row."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in unused(folder):
        path.unlink()
    for path, pixels in stale(folder).items():
        Image.fromarray(pixels).save(path, lossless=True, exact=True, quality=100, method=6)


def findings(folder: pathlib.Path) -> list[str]:
    """What is wrong with the tables and the files of a folder."""
    wrong = table.named_wrongly([operator["name"] for operator in generate.table()])
    wrong += [f"{path.name}: no row of tools/operator_pictures makes it" for path in unused(folder)]
    wrong += [f"{path.name} is not what tools/generate_docs.py makes" for path in stale(folder)]
    return wrong
