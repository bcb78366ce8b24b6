"""Tensors of PyTorch and of pipelines."""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]

from ... import _core, types
from ...tensors import TensorCPU, TensorListCPU

__all__ = ["feed_ndarray", "to_torch_tensor", "to_torch_type"]

to_torch_type = {
    types.BOOL: torch.bool,
    types.UINT8: torch.uint8,
    types.INT8: torch.int8,
    types.INT16: torch.int16,
    types.INT32: torch.int32,
    types.INT64: torch.int64,
    types.FLOAT16: torch.float16,
    types.FLOAT: torch.float32,
    types.FLOAT64: torch.float64,
}
"""The element types that PyTorch has too."""


def feed_ndarray(dali_tensor: TensorCPU | TensorListCPU, arr: torch.Tensor, cuda_stream: Any = None) -> torch.Tensor:
    """Copies a tensor, or a batch of samples of one shape, into `arr`, which has its shape and type; gives `arr`."""
    array = dali_tensor.as_array()
    source = torch.from_numpy(array if array.flags.writeable else array.copy())
    if source.dtype != arr.dtype or source.shape != arr.shape:
        raise ValueError(
            f"a tensor of {source.dtype} and shape {tuple(source.shape)} cannot be put into one of {arr.dtype} and "
            f"shape {tuple(arr.shape)}"
        )
    _core.count_copied(source.nbytes)
    return arr.copy_(source)


def to_torch_tensor(dali_tensor: TensorCPU, copy: bool) -> torch.Tensor:
    """`dali_tensor` for PyTorch, over the same memory unless `copy`."""
    array = dali_tensor.as_array()
    if not array.flags.writeable:  # PyTorch has no read-only tensors
        array, copy = array.copy(), False
        _core.count_copied(array.nbytes)
    tensor = torch.from_numpy(array)
    if not copy:
        return tensor
    _core.count_copied(tensor.nbytes)
    return tensor.clone()
