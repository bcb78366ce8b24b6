"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..graph.data_node import DataNode
from ..tfrecord import Feature
from ..types import ScalarConstant

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def gaussian(
    data: Operand,
    /,
    *,
    mean: float | DataNode = ...,
    stddev: float | DataNode = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def salt_and_pepper(
    data: Operand,
    /,
    *,
    prob: float | DataNode = ...,
    salt_vs_pepper: float | DataNode = ...,
    per_channel: bool = ...,
    salt_val: float | DataNode = ...,
    pepper_val: float | DataNode = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def shot(
    data: Operand,
    /,
    *,
    factor: float | DataNode = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...
