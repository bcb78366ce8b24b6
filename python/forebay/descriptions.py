"""What repr() says of tensors and batches: a few values, and what they are. Nothing is copied but the values shown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from ._core import TensorListCPU

_MOST_VALUES = 16
"""A tensor of more shows its first and last values in a row."""
_EDGE = 3
"""How many values, or samples, are shown at the beginning."""
_DIGITS = 4


def _values(array: np.ndarray) -> str:
    if array.size <= _MOST_VALUES:
        return np.array2string(array, precision=_DIGITS, threshold=_MOST_VALUES)
    shown = np.concatenate([array.flat[:_EDGE], array.flat[-_EDGE:]])
    lines = np.array2string(shown, precision=_DIGITS, max_line_width=1, threshold=_MOST_VALUES, separator="")
    texts = [line.strip() for line in lines[1:-1].split("\n")]
    return f"[{' '.join([*texts[:_EDGE], '...', *texts[_EDGE:]])}]"


def _some(texts: Sequence[str], separator: str) -> str:
    """All, or the first few and the last."""
    if len(texts) > _EDGE + 1:
        texts = [*texts[:_EDGE], "...", texts[-1]]
    return f"[{separator.join(texts)}]"


def _places(count: int) -> list[int]:
    return list(range(count)) if count <= _EDGE + 1 else [*range(_EDGE), count - 1]


def _shapes(shapes: Sequence[tuple[int, ...]]) -> str:
    if len(shapes) > 1 and len(set(shapes)) == 1:
        return f"[{shapes[0]}] * {len(shapes)}"
    text = _some([str(shape) for shape in shapes], ", ")
    if len(shapes) > _EDGE + 1 and len({len(shape) for shape in shapes}) == 1:
        columns = list(zip(*shapes))
        text += f", between {tuple(map(min, columns))} and {tuple(map(max, columns))}"
    return text


def _described(name: str, content: str, dtype: object, layout: str | None, lines: list[str]) -> str:
    facts = [f"dtype={dtype}", 'device="cpu"', *([f'layout="{layout}"'] if layout else []), *lines]
    return f"{name}(\n    " + ",\n    ".join([content, *facts]) + ")"


def of_tensor(name: str, array: np.ndarray, dtype: object, layout: str | None) -> str:
    """`name` is that of the class."""
    content = textwrap.indent(_values(array), "    ").lstrip()
    return _described(name, content, dtype, layout, [f"shape={array.shape}"])


def of_batch(name: str, batch: TensorListCPU, dtype: object, layout: str | None) -> str:
    """A line for each of a few samples."""
    count = len(batch)
    shown = [" ".join(_values(batch.at(place)).split()) for place in _places(count)]
    if count > len(shown):
        shown.insert(_EDGE, "...")
    lines = [f"num_samples={count}", f"shape={_shapes(batch.shape())}"]
    return _described(name, "[" + ",\n    ".join(shown) + "]", dtype, layout, lines)
