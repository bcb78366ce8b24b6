"""Generated from the operator table by tools/generate_stubs.py."""

from typing import Any, Sequence

from ...graph.data_node import DataNode
from ...types import DALIDataType, DALIImageType, DALIInterpType, ScalarConstant

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
