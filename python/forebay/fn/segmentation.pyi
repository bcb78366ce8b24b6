"""Generated from the operator table by tools/generate_stubs.py."""

from typing import Any, Sequence

from ..graph.data_node import DataNode
from ..types import DALIDataType, DALIImageType, DALIInterpType, ScalarConstant

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
) -> Any: ...

def select_masks(
    mask_ids: Operand,
    polygons: Operand,
    vertices: Operand,
    /,
    *,
    reindex_masks: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> Any: ...
