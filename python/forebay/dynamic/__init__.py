"""Operators called one by one, on tensors and batches, without a pipeline.

    import forebay.dynamic as ndd

    for jpegs, labels in ndd.readers.File(file_root="photos").next_epoch(batch_size=64):
        images = ndd.resize(ndd.decoders.image(jpegs), size=(224, 224))

Names are those of DALI's dynamic mode. Each call is a task of the engine: it returns at once, and looking at a result
waits for it. What goes wrong is raised where you look, with the line of the call that caused it.
"""

from __future__ import annotations

from ..fn.absent_names import refuse_operator as _refuse_operator
from . import capture, checkpoint, math, operators, pytorch, random, reader, readers
from .batch import Batch, as_batch, batch
from .device import Device, device
from .dtypes import (
    DataType, DType, ImageType, InterpType, bfloat16, bool, dtype, float16, float32, float64, int8, int16, int32, int64,
    type_id, uint8, uint16, uint32, uint64,
)
from .eval_context import EvalContext
from .eval_mode import EvalMode
from .external_source import ExternalSource
from .imread import imread
from .streams import Stream, get_current_stream, get_default_stream, set_current_stream, set_default_stream, stream
from .tensor import Tensor, as_tensor, tensor
from .threads import ThreadPool, get_num_threads, set_num_threads

__all__ = [
    "Batch", "DType", "DataType", "Device", "EvalContext", "EvalMode", "ExternalSource", "ImageType", "InterpType",
    "Stream", "Tensor", "ThreadPool", "as_batch", "as_tensor", "batch", "bfloat16", "bool", "capture", "checkpoint",
    "device", "dtype", "float16", "float32", "float64", "get_current_stream", "get_default_stream", "get_num_threads",
    "imread", "int16", "int32", "int64", "int8", "math", "pytorch", "random", "readers", "set_current_stream",
    "set_default_stream", "set_num_threads", "stream", "tensor", "type_id", "uint16", "uint32", "uint64", "uint8",
]

operators.add_functions(__name__, globals())
reader.add_classes(__name__, globals())
__getattr__ = _refuse_operator("dynamic", [*operators.names(), *reader.class_paths()])


def __dir__() -> list[str]:
    return sorted(__all__)
