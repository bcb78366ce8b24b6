"""Cases: branches, what each sets and returns."""

from __future__ import annotations

from typing import Any


import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types

from catalogue import Group
from pipelines import numbered, run_branches

case = Group("conditionals")


@case.branches
def if_and_else() -> Any:
    x = numbered()
    if x > 1:
        y = x + 10
    else:
        y = x - 10
    return y


@case.branches
def elif_chain() -> Any:
    x = numbered()
    if x == 0:
        y = x + 10
    elif x == 1:
        y = x + 20
    elif x == 2:
        y = x + 30
    else:
        y = x + 40
    return y


@case.branches
def no_else_defined_before() -> Any:
    x = numbered()
    y = x
    if x > 1:
        y = x + 10
    return y


@case.branches
def no_else_undefined() -> Any:
    x = numbered()
    if x > 1:
        y = x + 10
    return y


@case.branches
def one_branch_undefined_unused() -> Any:
    x = numbered()
    if x > 1:
        y = x + 10
    else:
        z = x
    return x


@case.branches
def one_branch_undefined_used() -> Any:
    x = numbered()
    if x > 1:
        y = x + 10
    else:
        z = x
    return y


@case.branches
def undefined_used_in_operator() -> Any:
    x = numbered()
    if x > 1:
        y = x + 10
    return y + 1


@case.branches
def branches_within_a_branch() -> Any:
    x = numbered()
    if x > 0:
        if x > 2:
            y = x + 100
        else:
            y = x + 50
    else:
        y = x
    return y


@case.branches
def returns_in_both() -> Any:
    x = numbered()
    if x > 1:
        return x + 1
    else:
        return x - 1


@case.branches
def early_return() -> Any:
    x = numbered()
    if x > 1:
        return x + 1
    return x - 1


@case.branches
def return_in_one_with_rest() -> Any:
    x = numbered()
    if x > 1:
        return x + 1
    y = x * 5
    if y > 3:
        return y
    return x - 7


@case.branches
def return_none_in_one() -> Any:
    x = numbered()
    if x > 1:
        return x


@case.branches
def return_tuple() -> Any:
    x = numbered()
    if x > 1:
        return x, x + 1
    else:
        return x + 5, x + 6


@case.branches
def return_tuple_mismatch() -> Any:
    x = numbered()
    if x > 1:
        return x, x + 1
    else:
        return x + 5


@case
def helper_two_level() -> Any:
    def inner(x):
        if x == 2:
            return x + 100
        else:
            return x

    def helper(x):
        if x > 1:
            y = inner(x)
        else:
            y = x * 3
        return y

    def body():
        return helper(numbered())

    return run_branches(body)


@case.branches
def constant_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = 5
    else:
        y = 7
    return y


@case.branches
def constant_in_one_branch() -> Any:
    x = numbered()
    if x > 1:
        y = x
    else:
        y = 7
    return y


@case.branches
def constant_type_mismatch() -> Any:
    x = numbered()
    if x > 1:
        y = x
    else:
        y = 7.5
    return y


@case.branches
def numpy_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = np.array([1, 2], np.int32)
    else:
        y = np.array([3, 4], np.int32)
    return y


@case.branches
def types_constant_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = types.Constant(np.array([1, 2]), dtype=types.INT32)
    else:
        y = fn.constant(idata=[5, 6], shape=[2])
    return y
