"""Cases: comparisons in a chain, comprehensions, and other Python around branches."""

from __future__ import annotations

from typing import Any

from catalogue import Group
from pipelines import numbered, run_branches

case = Group("conditionals")


@case.branches
def chained_compare_outside_if() -> Any:
    x = numbered()
    c = 0 < x < 3
    return c


@case.branches
def chained_compare_call() -> Any:
    x = numbered()
    c = 0 < x <= 2 < 3
    return c


@case.outputs
def chained_compare_no_conditionals() -> Any:
    x = numbered()
    return 0 < x < 3


@case.branches
def compare_in() -> Any:
    x = numbered()
    if x in [1, 2]:
        y = x
    else:
        y = x + 1
    return y


@case.branches
def any_of_nodes() -> Any:
    x = numbered()
    if any([x > 1, x < 0]):
        y = x
    else:
        y = x + 1
    return y


@case.branches
def set_after_if_unused_function() -> Any:
    x = numbered()
    if x > 1:
        g = lambda v: v + 1
        y = g(x)
    else:
        g = lambda v: v + 2
        y = g(x)
    return y


@case.branches
def import_in_branch() -> Any:
    x = numbered()
    if x > 1:
        import math

        y = x + int(math.floor(2.5))
    else:
        y = x
    return y


@case.branches
def for_in_branch() -> Any:
    x = numbered()
    y = x
    if x > 1:
        for k in range(3):
            y = y + k
    return y


@case.branches
def loop_varying_different() -> Any:
    x = numbered()
    y = x
    if x > 1:
        for k in range(3):
            y = y + k
    else:
        for k in range(2):
            y = y + k
    return y


@case.branches
def for_else() -> Any:
    x = numbered()
    y = x
    for k in range(2):
        if x > k:
            y = y + 1
    else:
        y = y + 100
    return y


@case
def object_made_in_branches() -> Any:
    class C:
        def __init__(self, v):
            self.v = v

    def body():
        x = numbered()
        if x > 1:
            c = C(x)
            y = c.v + 1
        else:
            c = C(x + 5)
            y = c.v
        return y

    return run_branches(body)
