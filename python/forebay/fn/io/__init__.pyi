"""Generated from the operator table by tools/generate_stubs.py."""

from typing import Any, Sequence

from ...graph.data_node import DataNode
from ...types import DALIDataType, DALIImageType, DALIInterpType, ScalarConstant
from . import file as file

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]
