"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..graph.data_node import DataNode
from ..tfrecord import Feature
from ..types import ScalarConstant

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def max(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def mean(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool = ...,
    dtype: DTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def mean_square(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool = ...,
    dtype: DTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def min(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def rms(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool = ...,
    dtype: DTypeLike = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def std_dev(
    data: Operand,
    mean: Operand,
    /,
    *,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool = ...,
    ddof: int = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def sum(
    data: Operand,
    /,
    *,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool = ...,
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def variance(
    data: Operand,
    mean: Operand,
    /,
    *,
    axes: int | Sequence[int] | None = ...,
    axis_names: str | None = ...,
    keep_dims: bool = ...,
    ddof: int = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...
