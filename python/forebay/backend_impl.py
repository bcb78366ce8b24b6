"""The names that scripts take from DALI's extension module."""

from __future__ import annotations

from . import types as types
from .fn.schema import OpSchema, OpSpec
from .ops import schema_of_old_name, schemas
from .tensors import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU

__all__ = [
    "GetCudaVersion", "GetSchema", "OpSchema", "OpSpec", "RegisteredCPUOps", "RegisteredGPUOps", "RegisteredMixedOps",
    "TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU", "TryGetSchema", "types",
]


def RegisteredCPUOps() -> list[str]:  # noqa: N802
    """The operators by the names of their classes: "readers__File"."""
    return sorted(schemas())


def RegisteredGPUOps() -> list[str]:  # noqa: N802
    """Those that a pipeline can have on a GPU: none."""
    return []


def RegisteredMixedOps() -> list[str]:  # noqa: N802
    """Those that take host memory and give GPU memory: none."""
    return []


def TryGetSchema(name: str) -> OpSchema | None:  # noqa: N802
    return schemas().get(name) or schema_of_old_name(name)


def GetSchema(name: str) -> OpSchema:  # noqa: N802
    schema = TryGetSchema(name)
    if schema is None:
        raise KeyError(f"Schema for operator '{name}' not registered")
    return schema


def GetCudaVersion() -> int:  # noqa: N802
    """-1: scripts ask for it before they use a GPU."""
    return -1
