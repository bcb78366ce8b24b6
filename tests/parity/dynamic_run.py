"""Runs the cases of `operator_cases.py` in dynamic mode, of `forebay` or of DALI."""

from __future__ import annotations

from typing import Any

import numpy as np

from operator_cases import ARITHMETIC, Case, Enum, subscripted


def function_of(ndd: Any, op: str) -> Any:
    """The function of that path; None where dynamic mode has none."""
    found = ndd
    for part in op.split("."):
        found = getattr(found, part, None)
    return found if callable(found) else None


def can_run(ndd: Any, case: Case) -> bool:
    if case.op == "_subscript":
        return True
    if case.op == "_arithmetic":
        return case.args["op"] in ARITHMETIC or function_of(ndd.math, case.args["op"]) is not None
    return function_of(ndd, case.op) is not None


def _made(
    ndd: Any, types: Any, case: Case, inputs: list[Any], tensors: dict[str, Any], more: dict[str, Any]
) -> Any:
    args = {key: getattr(types, value) if isinstance(value, Enum) else value for key, value in case.args.items()}
    if case.op == "_arithmetic":
        name = args["op"]
        return ARITHMETIC[name](*inputs) if name in ARITHMETIC else function_of(ndd.math, name)(*inputs)
    if case.op == "_subscript":
        return subscripted(inputs[0].slice, args)
    size = {} if inputs or tensors else {"batch_size": case.batch_size}
    return function_of(ndd, case.op)(*inputs, **args, **tensors, **size, **more)


def run(ndd: Any, types: Any, case: Case, **more: Any) -> tuple[list[np.ndarray], str]:
    """The batch that dynamic mode makes of the case, with `more` arguments, and its layout."""
    layouts = case.layouts + [None] * (len(case.inputs) - len(case.layouts))
    inputs = [ndd.batch(batch, layout=layout) for batch, layout in zip(case.inputs, layouts)]
    tensors = {name: ndd.batch(batch, layout=case.tensor_layouts.get(name)) for name, batch in case.tensors.items()}
    made = _made(ndd, types, case, inputs, tensors, more)
    made = made[case.output] if isinstance(made, (list, tuple)) else made
    made.evaluate()
    return [np.array(sample) for sample in made], made.layout or ""


