"""Outputs of operators, and the mark of a new axis, under the name of DALI's module."""

from .graph.data_node import DataNode
from .types import newaxis

__all__ = ["DataNode", "newaxis"]
