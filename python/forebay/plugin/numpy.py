"""Batches as NumPy arrays."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .base_iterator import DictIterator, LastBatchPolicy, kept_array

__all__ = ["LastBatchPolicy", "NumpyIterator"]


class NumpyIterator(DictIterator[list[dict[str, np.ndarray]]]):
    """Gives, for each pipeline, a dictionary of arrays that share the batch's memory. Arguments: those of
    :class:`BaseIterator`, after `output_map`, the names of the outputs."""

    def _converters(self) -> list[Callable[..., Any]]:
        return [kept_array] * len(self.output_map)
