"""Functions on PyTorch tensors as operators."""

from __future__ import annotations

from typing import Any, Callable, Literal, Sequence, overload

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]

from ...graph.converted_function import ConvertedFunction
from ...graph.data_node import DataNode
from ...graph.python_function import python_function

__all__ = ["TorchPythonFunction", "torch_python_function"]


def _tensor(array: np.ndarray) -> torch.Tensor:
    """Over the same memory where that may be written, which PyTorch cannot be kept from."""
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def _array(result: Any) -> Any:
    return result.detach().cpu().numpy() if isinstance(result, torch.Tensor) else result


@overload
def torch_python_function(
    *inputs: Any,
    function: Callable[..., Any],
    num_outputs: Literal[1] = ...,
    batch_processing: bool = ...,
    output_layouts: str | Sequence[str] | None = ...,
    device: str = ...,
    name: str | None = ...,
    preserve: bool = ...,
    bytes_per_sample_hint: Any = ...,
    seed: int | None = ...,
) -> DataNode: ...


@overload
def torch_python_function(
    *inputs: Any,
    function: Callable[..., Any],
    num_outputs: int,
    batch_processing: bool = ...,
    output_layouts: str | Sequence[str] | None = ...,
    device: str = ...,
    name: str | None = ...,
    preserve: bool = ...,
    bytes_per_sample_hint: Any = ...,
    seed: int | None = ...,
) -> list[DataNode]: ...


def torch_python_function(
    *inputs: Any,
    function: Callable[..., Any],
    num_outputs: int = 1,
    batch_processing: bool = False,
    output_layouts: str | Sequence[str] | None = None,
    device: str = "cpu",
    name: str | None = None,
    preserve: bool = True,
    bytes_per_sample_hint: Any = None,
    seed: int | None = None,
) -> DataNode | list[DataNode]:
    """Calls a function on the data, as :func:`forebay.fn.python_function`: it gets and gives :class:`torch.Tensor`, with
    `batch_processing` lists of them."""
    if not callable(function):
        raise TypeError(f"torch_python_function: `function` must be callable, not {type(function).__name__}")
    work = ConvertedFunction(function, num_outputs, batch_processing, _tensor, _array)
    return python_function(
        *inputs, function=work, num_outputs=num_outputs,
        batch_processing=batch_processing, output_layouts=output_layouts, device=device, name=name, preserve=preserve,
    )


class TorchPythonFunction:
    """:func:`torch_python_function` as an object."""

    def __init__(
        self,
        function: Callable[..., Any],
        num_outputs: int = 1,
        device: str = "cpu",
        batch_processing: bool = False,
        *,
        output_layouts: str | Sequence[str] | None = None,
        name: str | None = None,
        preserve: bool = True,
        bytes_per_sample_hint: Any = None,
        seed: int | None = None,
    ) -> None:
        self._arguments: dict[str, Any] = {
            "function": function, "num_outputs": num_outputs, "device": device, "batch_processing": batch_processing,
            "output_layouts": output_layouts, "name": name, "preserve": preserve,
        }
        self.device = device

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        return torch_python_function(*inputs, **{**self._arguments, **arguments})
