"""What scripts take from DALI's module of this name: tensors, and what is known of the operators."""

from .backend_impl import (
    GetCudaVersion, GetSchema, OpSchema, OpSpec, RegisteredCPUOps, RegisteredGPUOps, RegisteredMixedOps, TensorCPU,
    TensorGPU, TensorListCPU, TensorListGPU, TryGetSchema, types,
)

__all__ = [
    "GetCudaVersion", "GetSchema", "OpSchema", "OpSpec", "RegisteredCPUOps", "RegisteredGPUOps", "RegisteredMixedOps",
    "TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU", "TryGetSchema", "types",
]
