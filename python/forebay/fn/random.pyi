"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..graph.data_node import DataNode
from ..tfrecord import Feature
from ..types import ScalarConstant

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def beta(
    shape_like: Operand | None = ...,
    /,
    *,
    alpha: float | DataNode = ...,
    beta: float | DataNode = ...,
    shape: int | Sequence[int] | DataNode = ...,
    dtype: DTypeLike | None = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def choice(
    a: Operand,
    shape_like: Operand | None = ...,
    /,
    *,
    p: float | Sequence[float] | DataNode = ...,
    shape: int | Sequence[int] | DataNode = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def coin_flip(
    shape_like: Operand | None = ...,
    /,
    *,
    probability: float | DataNode = ...,
    shape: int | Sequence[int] | DataNode = ...,
    dtype: DTypeLike | None = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def normal(
    shape_like: Operand | None = ...,
    /,
    *,
    mean: float | DataNode = ...,
    stddev: float | DataNode = ...,
    shape: int | Sequence[int] | DataNode = ...,
    dtype: DTypeLike | None = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def uniform(
    shape_like: Operand | None = ...,
    /,
    *,
    range: float | Sequence[float] | DataNode = ...,
    values: float | Sequence[float] | DataNode = ...,
    shape: int | Sequence[int] | DataNode = ...,
    dtype: DTypeLike | None = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...
