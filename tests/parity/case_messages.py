"""Cases of `operator_cases.py` and what a library makes of them, as bytes: a line of JSON and arrays as .npy has them.

Each message begins with its length, so that who waits for one knows when it is whole.
"""

from __future__ import annotations

import io
import json
import struct
from typing import Any, Callable

import numpy as np
from operator_cases import Case, Enum

Outputs = list[tuple[list[np.ndarray], str]]
"""Of each output the samples and the layout."""

_LENGTH = struct.Struct("<Q")


def packed(head: Any, arrays: list[np.ndarray]) -> bytes:
    body = io.BytesIO()
    body.write(json.dumps(head).encode() + b"\n")
    for array in arrays:
        np.save(body, array, allow_pickle=False)
    return _LENGTH.pack(body.tell()) + body.getvalue()


def received(read: Callable[[int], bytes]) -> tuple[Any, list[np.ndarray]]:
    """The next message; `read` gives as many bytes as it is asked for, or raises."""
    size = _LENGTH.unpack(read(_LENGTH.size))[0]
    body = io.BytesIO(read(size))
    head = json.loads(body.readline())
    arrays = []
    while body.tell() < size:
        arrays.append(np.load(body, allow_pickle=False))
    return head, arrays


def of_case(case: Case) -> bytes:
    args = {name: {"enum": value} if isinstance(value, Enum) else value for name, value in case.args.items()}
    batches = [*case.inputs, *case.tensors.values()]
    head = {"op": case.op, "args": args, "layouts": case.layouts, "inputs": len(case.inputs),
            "tensors": list(case.tensors), "tensor_layouts": case.tensor_layouts,
            "batches": [len(batch) for batch in batches]}
    return packed(head, [sample for batch in batches for sample in batch])


def to_case(head: Any, arrays: list[np.ndarray]) -> Case:
    """The case of a message; all of its outputs are asked for."""
    args = {name: Enum(value["enum"]) if isinstance(value, dict) else value for name, value in head["args"].items()}
    rest = iter(arrays)
    batches = [[next(rest) for _ in range(size)] for size in head["batches"]]
    tensors = dict(zip(head["tensors"], batches[head["inputs"]:]))
    return Case(head["op"], head["op"], batches[: head["inputs"]], args, head["layouts"], tensors,
                tensor_layouts=head["tensor_layouts"], output=None)


def of_outputs(outputs: Outputs) -> bytes:
    head = {"layouts": [layout for _, layout in outputs], "sizes": [len(samples) for samples, _ in outputs]}
    return packed(head, [sample for samples, _ in outputs for sample in samples])


def of_error(error: Exception) -> bytes:
    return packed({"error": str(error)}, [])


def to_outputs(head: Any, arrays: list[np.ndarray]) -> Outputs:
    rest = iter(arrays)
    return [([next(rest) for _ in range(size)], layout) for size, layout in zip(head["sizes"], head["layouts"])]
