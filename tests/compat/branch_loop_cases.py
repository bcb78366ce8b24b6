"""Cases: comprehensions and loops that have branches."""

from __future__ import annotations

from typing import Any


from catalogue import Group
from pipelines import numbered, vectors

case = Group("conditionals")


@case.branches
def comprehension() -> Any:
    x = numbered()
    return tuple((x + k if x > k else x for k in range(3)))


@case.branches
def list_comprehension_if_expression() -> Any:
    x = numbered()
    r = [x + k if x > 1 else x for k in range(2)]
    return tuple(r)


@case.branches
def for_loop_with_if() -> Any:
    x = numbered()
    y = x
    for k in range(3):
        if x > k:
            y = y + 10
    return y


@case.branches
def for_loop_break_python() -> Any:
    x = numbered()
    y = x
    for k in range(5):
        if k == 2:
            break
        if x > k:
            y = y + 10
    return y


@case.branches
def break_under_node() -> Any:
    x = numbered()
    y = x
    for k in range(3):
        if x > k:
            break
        y = y + 1
    return y


@case.branches
def continue_under_node() -> Any:
    x = numbered()
    y = x
    for k in range(3):
        if x > k:
            continue
        y = y + 1
    return y


@case.branches
def return_in_loop_under_node() -> Any:
    x = numbered()
    y = x
    for k in range(3):
        if x > k:
            return y
        y = y + 1
    return y


@case.branches
def while_python() -> Any:
    x = numbered()
    k = 0
    while k < 2:
        if x > k:
            x = x + 1
        k += 1
    return x


@case.branches
def while_node() -> Any:
    x = numbered()
    while x < 3:
        x = x + 1
    return x


@case.branches
def for_over_node() -> Any:
    r = numbered()
    for v in vectors():
        r = r + v
    return r
