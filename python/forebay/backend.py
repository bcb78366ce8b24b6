"""Tensors under the name that scripts look for them."""

from .tensors import TensorCPU, TensorListCPU

__all__ = ["TensorCPU", "TensorListCPU"]
