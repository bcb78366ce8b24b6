"""Cases: statements of Python within branches."""

from __future__ import annotations

import dataclasses
from typing import Any

import nvidia.dali.fn as fn

from catalogue import Group
from pipelines import numbered, run_branches

case = Group("conditionals")


@case.branches
def assert_node() -> Any:
    x = numbered()
    assert x > -1
    return x


@case.branches
def raise_in_branch() -> Any:
    x = numbered()
    if x > 1:
        raise ValueError("my")
    return x


@case.branches
def raise_under_python_condition() -> Any:
    x = numbered()
    if False:
        raise ValueError("my")
    return x


@case
def raise_custom() -> Any:
    class E(Exception):
        pass

    def body():
        raise E("own")

    return run_branches(body)


@case.branches
def try_in_branch() -> Any:
    x = numbered()
    if x > 1:
        try:
            y = x + 1
        finally:
            pass
    else:
        y = x
    return y


@case
def with_in_branch() -> Any:
    import contextlib

    def body():
        x = numbered()
        if x > 1:
            with contextlib.nullcontext() as nothing:
                y = x + 1
        else:
            y = x
        return y

    return run_branches(body)


@case.branches
def walrus_in_test() -> Any:
    x = numbered()
    if (z := (x + 1)) > 2:
        y = z
    else:
        y = z * 10
    return y


@case.branches
def del_in_branch() -> Any:
    x = numbered()
    y = x
    if x > 1:
        t = x + 1
        y = t
        del t
    return y


@case.branches
def pass_branch() -> Any:
    x = numbered()
    y = x
    if x > 1:
        pass
    else:
        y = x + 1
    return y


@case.branches
def annotated_assign() -> Any:
    x = numbered()
    if x > 1:
        y: int = x + 1
    else:
        y: int = x
    return y


@case
def dataclass_attribute() -> Any:
    @dataclasses.dataclass
    class D:
        v: object

    def body():
        x = numbered()
        d = D(x)
        if x > 1:
            d.v = x + 1
        return d.v

    return run_branches(body)


@case.branches
def string_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = "a"
    else:
        y = "b"
    return x


@case.branches
def string_in_branch_used() -> Any:
    x = numbered()
    if x > 1:
        y = "a"
    else:
        y = "b"
    return x, y


@case.branches
def equal_string_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = "a"
        z = x
    else:
        y = "a"
        z = x + 1
    return z


@case.branches
def none_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = None
    else:
        y = x
    return x


@case.branches
def none_in_both() -> Any:
    x = numbered()
    if x > 1:
        y = None
    else:
        y = None
    return x


@case.branches
def function_object_in_branch() -> Any:
    x = numbered()
    if x > 1:
        h = fn.cast
    else:
        h = fn.copy
    return x
