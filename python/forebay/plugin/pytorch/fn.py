"""Functions on PyTorch tensors as operators."""

from .torch_function import torch_python_function

__all__ = ["torch_python_function"]
