"""Tensors under the name of DALI's module."""

from .tensors import TensorCPU, TensorListCPU

__all__ = ["TensorCPU", "TensorListCPU"]
