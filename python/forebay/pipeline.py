"""Pipelines and the function decorator that makes them, under the names of DALI's module."""

import sys

from .graph.data_node import DataNode
from .graph.executor_settings import OperatorConcurrency, StreamPolicy
from .graph.pipeline import Pipeline
from .graph.pipeline_definition import do_not_convert, pipeline_def

__all__ = ["DataNode", "OperatorConcurrency", "Pipeline", "StreamPolicy", "do_not_convert", "experimental", "pipeline_def"]

experimental = sys.modules[__name__]  # DALI has a decorator with more arguments under this name
