"""Forebay: carries training data from storage to tensors.

    from forebay import pipeline_def, fn, types

The interface is that of DALI: the names, arguments and numerics of its operators, its pipelines and iterators.
"""

from . import tensors as tensors
from . import backend, errors, fn, interop, math, memory, ops, pipeline, plugin, tfrecord, types
from ._core import __version__, bytes_copied
from .data_node import DataNode
from .errors import SampleError
from .pipeline import Pipeline
from .pipeline_definition import do_not_convert, pipeline_def
from .tensors import TensorCPU, TensorListCPU
from .tracing import trace
from .types import newaxis

__all__ = [
    "DataNode",
    "Pipeline",
    "SampleError",
    "TensorCPU",
    "TensorListCPU",
    "__version__",
    "backend",
    "bytes_copied",
    "do_not_convert",
    "errors",
    "fn",
    "interop",
    "math",
    "memory",
    "newaxis",
    "ops",
    "pipeline",
    "pipeline_def",
    "plugin",
    "tfrecord",
    "trace",
    "types",
]
