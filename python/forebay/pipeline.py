"""Pipelines and the function decorator that makes them, under the names of DALI's module."""

import sys
from typing import TYPE_CHECKING

from .graph.data_node import DataNode
from .graph.executor_settings import OperatorConcurrency, StreamPolicy
from .graph.pipeline import Pipeline
from .graph.pipeline_definition import do_not_convert, pipeline_def

__all__ = ["DataNode", "OperatorConcurrency", "Pipeline", "StreamPolicy", "do_not_convert", "experimental", "pipeline_def"]

# DALI has a decorator with more arguments under this name.
if TYPE_CHECKING:
    from . import pipeline as experimental
else:
    experimental = sys.modules[__name__]
