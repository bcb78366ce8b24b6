"""Cases: operators within branches."""

from __future__ import annotations

from typing import Any


import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.math as math
import nvidia.dali.ops as ops
import nvidia.dali.types as types

from catalogue import Group
from pipelines import numbered, run_branches, vectors

case = Group("conditionals")


@case.branches
def source_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = fn.external_source(source=lambda: [np.array(5, np.int32)] * 4)
    else:
        y = x
    return y


@case
def operator_object_in_branch() -> Any:
    c = ops.Cast(dtype=types.FLOAT)

    def body():
        x = numbered()
        if x > 1:
            y = c(x)
        else:
            y = c(x) + 100
        return y

    return run_branches(body)


@case.branches
def operator_object_made_inside() -> Any:
    x = numbered()
    if x > 1:
        y = ops.Cast(dtype=types.FLOAT)(x)
    else:
        y = fn.cast(x + 5, dtype=types.FLOAT)
    return y


@case.branches
def argument_input_in_branch() -> Any:
    x = numbered()
    v = vectors()
    if x > 1:
        y = fn.pad(v, fill_value=1, shape=[5])
    else:
        y = fn.pad(v, fill_value=2, shape=[4])
    return y


@case.branches
def named_argument_input_in_branch() -> Any:
    x = numbered()
    v = vectors()
    if x > 1:
        y = fn.slice(v, start=fn.stack(x - 1), shape=[1], axes=[0], out_of_bounds_policy="pad")
    else:
        y = fn.slice(v, start=[0], shape=[1], axes=[0])
    return y


@case.branches
def python_function_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = fn.python_function(x, function=lambda a: a * 10)
    else:
        y = x
    return y


@case.branches
def math_in_branch() -> Any:
    x = numbered(np.float32)
    if x > 1:
        y = math.sqrt(x)
    else:
        y = math.abs(x)
    return y


@case.branches
def subscript_in_branch() -> Any:
    v = vectors()
    x = numbered()
    if x > 1:
        y = v[1:]
    else:
        y = v[:2]
    return y
