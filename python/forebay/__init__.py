"""Forebay: carries training data from storage to tensors.

    from forebay import pipeline_def, fn, types

The interface is that of DALI: the names, arguments and numerics of its operators, its pipelines and iterators.
"""

from . import tensors as tensors
from . import auto_aug, autograd, backend, errors, fn, interop, math, memory, nd, ops, pipeline, plugin, tfrecord, types
from . import backend_impl as backend_impl, data_node as data_node, external_source as external_source, pickling as pickling
from . import gluon, host_cache, init, lr_scheduler, metric, optimizer, plugin_manager, sysconfig, transforms
from . import dali_files as dali_files  # lets Pipeline.deserialize read what DALI wrote
from ._core import __version__, bytes_copied, touched_reads
from .caching import Cache, cache
from .errors import SampleError
from .graph.data_node import DataNode
from .pipeline import OperatorConcurrency, Pipeline, StreamPolicy, do_not_convert, pipeline_def
from .tensors import TensorCPU, TensorListCPU
from .tracing import trace
from .types import newaxis

__cuda_version__ = backend_impl.GetCudaVersion()

__all__ = [
    "Cache",
    "DataNode",
    "OperatorConcurrency",
    "Pipeline",
    "SampleError",
    "StreamPolicy",
    "TensorCPU",
    "TensorListCPU",
    "__version__",
    "auto_aug",
    "autograd",
    "backend",
    "bytes_copied",
    "cache",
    "do_not_convert",
    "errors",
    "fn",
    "gluon",
    "host_cache",
    "init",
    "interop",
    "lr_scheduler",
    "math",
    "memory",
    "metric",
    "nd",
    "newaxis",
    "ops",
    "optimizer",
    "pipeline",
    "pipeline_def",
    "plugin",
    "plugin_manager",
    "sysconfig",
    "tfrecord",
    "touched_reads",
    "trace",
    "transforms",
    "types",
]


def __dir__() -> list[str]:
    return __all__
