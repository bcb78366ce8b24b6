"""Arithmetic on extents that are known, as integers, or differ from sample to sample, as nodes of INT32."""

from __future__ import annotations

import builtins
from typing import Any, Sequence

from .. import fn, math
from ..graph.data_node import DataNode
from ..graph.expressions import constant_node
from ..types import DALIDataType

__all__ = ["Size", "is_known", "larger", "pair", "round_half", "smaller", "vector", "whole"]

Size = Any
"""An int, or a DataNode that is a scalar of INT32."""


def is_known(*sizes: Size) -> bool:
    return all(isinstance(size, int) for size in sizes)


def larger(first: Size, second: Size) -> Size:
    return builtins.max(first, second) if is_known(first, second) else math.max(first, second)


def smaller(first: Size, second: Size) -> Size:
    return builtins.min(first, second) if is_known(first, second) else math.min(first, second)


def whole(number: Any) -> Size:
    """The largest integer that is not above `number`."""
    if isinstance(number, (int, float)):
        return builtins.int(number // 1)
    return fn.cast(math.floor(number), dtype=DALIDataType.INT32)


def round_half(difference: Size) -> Size:
    """``round(difference / 2)`` as Python rounds, halves to even, of an integer that is at least 0."""
    return (difference + 2) // 4 + (difference + 1) // 4


def pair(first: Size, second: Size) -> Any:
    """Both as an argument of an operator: a list where they are known, else one node."""
    return [first, second] if is_known(first, second) else vector([first, second], DALIDataType.INT32)


def vector(numbers: Sequence[Any], dtype: DALIDataType) -> DataNode:
    """Scalars, nodes or numbers, as one node."""
    nodes = [number if isinstance(number, DataNode) else constant_node(number) for number in numbers]
    node: DataNode = fn.stack(*[fn.cast(node, dtype=dtype) for node in nodes])
    return node

