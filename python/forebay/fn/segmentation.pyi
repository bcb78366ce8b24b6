"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ..enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..graph.data_node import DataNode
from ..tfrecord import Feature
from ..types import ScalarConstant

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def random_mask_pixel(
    mask: Operand,
    /,
    *,
    foreground: int | DataNode = ...,
    value: int | DataNode = ...,
    threshold: float | DataNode = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def random_object_bbox(
    mask: Operand,
    /,
    *,
    ignore_class: bool = ...,
    output_class: Literal[False] = ...,
    foreground_prob: float | DataNode = ...,
    classes: int | Sequence[int] | DataNode = ...,
    background: int | DataNode = ...,
    class_weights: float | Sequence[float] | DataNode = ...,
    k_largest: int | None = ...,
    threshold: int | Sequence[int] | DataNode = ...,
    format: Literal['anchor_shape', 'start_end'] = ...,
    cache_objects: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode]: ...

@overload
def random_object_bbox(
    mask: Operand,
    /,
    *,
    ignore_class: bool = ...,
    output_class: Literal[False] = ...,
    foreground_prob: float | DataNode = ...,
    classes: int | Sequence[int] | DataNode = ...,
    background: int | DataNode = ...,
    class_weights: float | Sequence[float] | DataNode = ...,
    k_largest: int | None = ...,
    threshold: int | Sequence[int] | DataNode = ...,
    format: Literal['box'],
    cache_objects: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...

@overload
def random_object_bbox(
    mask: Operand,
    /,
    *,
    ignore_class: bool = ...,
    output_class: Literal[True],
    foreground_prob: float | DataNode = ...,
    classes: int | Sequence[int] | DataNode = ...,
    background: int | DataNode = ...,
    class_weights: float | Sequence[float] | DataNode = ...,
    k_largest: int | None = ...,
    threshold: int | Sequence[int] | DataNode = ...,
    format: Literal['anchor_shape', 'start_end'] = ...,
    cache_objects: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode, DataNode]: ...

@overload
def random_object_bbox(
    mask: Operand,
    /,
    *,
    ignore_class: bool = ...,
    output_class: Literal[True],
    foreground_prob: float | DataNode = ...,
    classes: int | Sequence[int] | DataNode = ...,
    background: int | DataNode = ...,
    class_weights: float | Sequence[float] | DataNode = ...,
    k_largest: int | None = ...,
    threshold: int | Sequence[int] | DataNode = ...,
    format: Literal['box'],
    cache_objects: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode]: ...

@overload
def random_object_bbox(
    mask: Operand,
    /,
    *,
    ignore_class: bool = ...,
    output_class: bool = ...,
    foreground_prob: float | DataNode = ...,
    classes: int | Sequence[int] | DataNode = ...,
    background: int | DataNode = ...,
    class_weights: float | Sequence[float] | DataNode = ...,
    k_largest: int | None = ...,
    threshold: int | Sequence[int] | DataNode = ...,
    format: str = ...,
    cache_objects: bool = ...,
    seed: int | None = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode | tuple[DataNode, ...]: ...

def select_masks(
    mask_ids: Operand,
    polygons: Operand,
    vertices: Operand,
    /,
    *,
    reindex_masks: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> tuple[DataNode, DataNode]: ...
