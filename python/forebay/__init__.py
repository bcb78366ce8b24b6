"""Forebay: carries training data from storage to tensors.

    from forebay import pipeline_def, fn, types

The interface is that of DALI: the names, arguments and numerics of its operators, its pipelines and iterators.
"""

from . import tensors as tensors
from . import errors, fn, math, tfrecord, types
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
    "bytes_copied",
    "do_not_convert",
    "errors",
    "fn",
    "math",
    "newaxis",
    "pipeline_def",
    "tfrecord",
    "trace",
    "types",
]
