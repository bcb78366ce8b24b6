"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ...enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ...graph.data_node import DataNode
from ...tfrecord import Feature
from ...types import ScalarConstant

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]

def read(
    filepaths: Operand,
    /,
    *,
    dont_use_mmap: bool = ...,
    use_o_direct: bool = ...,
    device: str | None = ...,
    name: str | None = ...,
) -> DataNode: ...
