"""fn.dl_tensor_python_function: an operator written in Python on DLPack capsules."""

from __future__ import annotations

from typing import Any, Callable, Literal, Sequence, overload

import numpy as np

from ..tensors import TensorCPU
from .converted_function import ConvertedFunction
from .data_node import DataNode
from .python_function import python_function

__all__ = ["dl_tensor_python_function"]

_CPU = (1, 0)


class _Capsule:
    """What consumers of DLPack take, of a capsule."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def _capsule(array: np.ndarray) -> Any:
    return TensorCPU(array).__dlpack__()


def _array(result: Any) -> Any:
    if type(result).__name__ == "PyCapsule":
        return np.from_dlpack(_Capsule(result))
    return np.from_dlpack(result) if hasattr(result, "__dlpack__") else result


@overload
def dl_tensor_python_function(  # type: ignore[overload-overlap]
    *inputs: DataNode,
    function: Callable[..., Any],
    num_outputs: Literal[1] = ...,
    batch_processing: bool = ...,
    synchronize_stream: bool = ...,
    output_layouts: str | Sequence[str] | None = ...,
    device: str = ...,
    name: str | None = ...,
    preserve: bool = ...,
    bytes_per_sample_hint: Any = ...,
    seed: int | None = ...,
) -> DataNode: ...


@overload
def dl_tensor_python_function(
    *inputs: DataNode,
    function: Callable[..., Any],
    num_outputs: int,
    batch_processing: bool = ...,
    synchronize_stream: bool = ...,
    output_layouts: str | Sequence[str] | None = ...,
    device: str = ...,
    name: str | None = ...,
    preserve: bool = ...,
    bytes_per_sample_hint: Any = ...,
    seed: int | None = ...,
) -> list[DataNode]: ...


def dl_tensor_python_function(
    *inputs: DataNode,
    function: Callable[..., Any],
    num_outputs: int = 1,
    batch_processing: bool = False,
    synchronize_stream: bool = True,
    output_layouts: str | Sequence[str] | None = None,
    device: str = "cpu",
    name: str | None = None,
    preserve: bool = True,
    bytes_per_sample_hint: Any = None,
    seed: int | None = None,
) -> DataNode | list[DataNode]:
    """Calls a function on the data, as :func:`forebay.fn.python_function`: it gets and gives DLPack capsules, with
    `batch_processing` lists of them. What it gives may also be any object with ``__dlpack__``.

    `synchronize_stream` is about GPUs and changes nothing.
    """
    if not callable(function):
        raise TypeError(f"fn.dl_tensor_python_function: `function` must be callable, not {type(function).__name__}")
    work = ConvertedFunction(function, num_outputs, batch_processing, _capsule, _array)
    return python_function(
        *inputs, function=work, num_outputs=num_outputs,
        batch_processing=batch_processing, output_layouts=output_layouts, device=device, name=name, preserve=preserve,
    )
