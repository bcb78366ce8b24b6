"""What repr() says of tensors and batches."""

from __future__ import annotations

import numpy as np

from ..tensors import TensorListCPU
from .dtypes import DType

_MOST_SAMPLES = 16


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _described(name: str, content: str, dtype: DType, lines: list[str], layout: str | None) -> str:
    facts = [f"dtype={dtype}", 'device="cpu"', *([f'layout="{layout}"'] if layout else []), *lines]
    return f"{name}(\n    " + ",\n    ".join([content, *facts]) + ")"


def tensor(array: np.ndarray, dtype: DType, layout: str | None) -> str:
    content = _indented(np.array2string(array, threshold=100))
    return _described("Tensor", content, dtype, [f"shape={array.shape}"], layout)


def batch(content: TensorListCPU, dtype: DType, layout: str | None) -> str:
    count = len(content)
    shown = [_indented(np.array2string(content.at(i), threshold=20)) for i in range(min(count, _MOST_SAMPLES))]
    if count > _MOST_SAMPLES:
        shown.append("...")
    lines = [f"num_samples={count}", f"shape={content.shape()}"]
    return _described("Batch", "[" + ",\n    ".join(shown) + "]", dtype, lines, layout)
