"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..graph.data_node import DataNode
from ..tfrecord import Feature
from ..types import ScalarConstant

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def combine(
    *transforms: Operand,
    reverse_order: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def crop(
    transform: Operand | None = ...,
    /,
    *,
    reverse_order: bool = ...,
    from_start: float | Sequence[float] | DataNode = ...,
    from_end: float | Sequence[float] | DataNode = ...,
    to_start: float | Sequence[float] | DataNode = ...,
    to_end: float | Sequence[float] | DataNode = ...,
    absolute: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def rotation(
    transform: Operand | None = ...,
    /,
    *,
    reverse_order: bool = ...,
    angle: float | DataNode,
    axis: float | Sequence[float] | DataNode = ...,
    center: float | Sequence[float] | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def scale(
    transform: Operand | None = ...,
    /,
    *,
    reverse_order: bool = ...,
    scale: float | Sequence[float] | DataNode,
    center: float | Sequence[float] | DataNode = ...,
    ndim: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def shear(
    transform: Operand | None = ...,
    /,
    *,
    reverse_order: bool = ...,
    shear: float | Sequence[float] | DataNode = ...,
    angles: float | Sequence[float] | DataNode = ...,
    center: float | Sequence[float] | DataNode = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

def translation(
    transform: Operand | None = ...,
    /,
    *,
    reverse_order: bool = ...,
    offset: float | Sequence[float] | DataNode,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...
