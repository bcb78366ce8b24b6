"""fn.python_function: an operator written in Python."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any, Callable, Literal, Sequence, overload

import numpy as np

from ..caller_warnings import warn
from ..errors import InvalidError, UnknownArgumentError, WrongTypeError, also_runtime_error
from ..suggestions import did_you_mean
from ..tensors import TensorCPU, to_tensor
from . import expressions

if TYPE_CHECKING:
    from .data_node import DataNode

__all__ = ["python_function"]


def _own(tensor: TensorCPU) -> np.ndarray:
    """The input as an array that the function may write: a copy, as other operators may share the tensor's memory."""
    return to_tensor(tensor, tensor.layout(), copy=True).as_array()


def _counts(row: Sequence[Any]) -> list[int]:
    """How many references there are to a row of results, and to each of them."""
    return [sys.getrefcount(row), *(sys.getrefcount(result) for result in row)]


def _counts_of_fresh(row: Sequence[Any]) -> list[int]:
    return _counts(row)  # one call deep, as in _tensors()


_ROW_OF_FRESH, _FRESH = _counts_of_fresh((np.empty(0),))


def _tensors(row: Sequence[Any], layouts: Sequence[str]) -> list[TensorCPU]:
    """The results as tensors: arrays that nobody else holds, in a row that nobody else holds, are taken as they are, others
    are copied."""
    row_count, *counts = _counts(row)
    is_fresh = row_count <= _ROW_OF_FRESH
    return [
        to_tensor(value, layout, copy=not (is_fresh and count <= _FRESH and _owns_memory(value)))
        for value, layout, count in zip(row, layouts, counts)
    ]


def _owns_memory(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.base is None


class _Function:
    """The work of one python_function node: rows of input tensors in, rows of output tensors (or an exception) out."""

    def __init__(self, function: Callable[..., Any], num_outputs: int, batch: bool, layouts: Sequence[str]) -> None:
        self._function = function
        self._num_outputs = num_outputs
        self._batch = batch
        self._layouts = layouts

    def __call__(self, rows: list[list[TensorCPU]]) -> list[Any]:
        arrays = [[_own(tensor) for tensor in row] for row in rows]
        if self._batch:
            return self._run_batch(arrays)
        return [self._run_sample(row) for row in arrays]

    def _results(self, returned: Any) -> Sequence[Any]:
        if self._num_outputs == 0:
            return []
        is_row = isinstance(returned, tuple) or (isinstance(returned, list) and self._num_outputs > 1)
        row = returned if is_row else (returned,)
        if len(row) != self._num_outputs:
            raise InvalidError(f"the function returned {len(row)} results; num_outputs={self._num_outputs}")
        return row

    def _run_sample(self, inputs: list[np.ndarray]) -> Any:
        try:
            return _tensors(self._results(self._function(*inputs)), self._layouts)
        except BaseException as error:  # this sample's error, SystemExit too; the others go on
            return error

    def _run_batch(self, rows: list[list[np.ndarray]]) -> list[Any]:
        inputs = [list(column) for column in zip(*rows)]
        try:
            returned = self._function(*inputs)
        except Exception as error:
            raise also_runtime_error(error)
        columns = self._results(returned)
        for column in columns:
            if len(column) != len(rows):
                raise InvalidError(f"the function returned {len(column)} samples for a batch of {len(rows)}")
        return [
            [to_tensor(column[i], layout, copy=True) for column, layout in zip(columns, self._layouts)]
            for i in range(len(rows))
        ]


@overload
def python_function(
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
def python_function(
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


def python_function(
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
    **unknown: Any,
) -> DataNode | list[DataNode]:
    """Calls a Python function on the data.

    :param inputs: what the function gets, each as a NumPy array that it may write. Constants and arrays may be among
        them.
    :param function: gives an array, or a tuple of `num_outputs`. Runs on a thread of its own, one call at a
        time, in the order of the stream; broken samples are left out.
    :param num_outputs: how many outputs there are. With 0 the function is called for what it does.
    :param batch_processing: the function gets and gives lists of arrays: a whole batch.
    :param output_layouts: layout of the outputs, in order; those without one have none.
    :param preserve: the function is called also where nothing uses its outputs, as DALI always does.

    All functions of a pipeline are called on one thread, and its sources (:func:`fn.external_source`) on another, beside
    them and batches ahead. The GIL keeps single steps of Python whole and nothing more: what a function shares with a
    source, or with the program, needs a lock or a queue. A function may run another pipeline; where pipelines ask each
    other in a ring for what none could give first, RuntimeError.
    """
    for key in unknown:
        hint = did_you_mean(key, inspect.signature(python_function).parameters)
        raise UnknownArgumentError(f"fn.python_function has no argument '{key}'{hint}")
    if device != "cpu":
        raise NotImplementedError("fn.python_function runs on the CPU only")
    if not callable(function):
        raise WrongTypeError(f"fn.python_function: `function` must be callable, not {type(function).__name__}")
    if seed is not None:
        warn("fn.python_function draws no random numbers: leave out its `seed`.")
    layouts = [output_layouts] if isinstance(output_layouts, str) else list(output_layouts or [])
    layouts += [""] * (num_outputs - len(layouts))
    for item in inputs:
        if isinstance(item, (list, tuple)) and any(map(expressions.is_node, item)):
            raise TypeError("fn.python_function: an input is a DataNode, not a list of them; unpack it with *")
    owner = expressions.owner_of(inputs)
    work = _Function(function, num_outputs, batch_processing, layouts)
    with owner._writing():
        nodes = owner._add_function(
            work, [expressions.as_node(item) for item in inputs], num_outputs, batch_processing, name, preserve
        )
    if num_outputs == 0:
        return []
    return nodes[0] if num_outputs == 1 else nodes
