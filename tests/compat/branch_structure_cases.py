"""Cases: lists, dictionaries and attributes that branches set."""

from __future__ import annotations

from typing import Any


from catalogue import Group
from pipelines import numbered, run_branches

case = Group("conditionals")


@case.branches
def list_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = [x, x + 1]
    else:
        y = [x + 3, x + 4]
    return y[0], y[1]


@case.branches
def list_length_mismatch() -> Any:
    x = numbered()
    if x > 1:
        y = [x, x + 1]
    else:
        y = [x + 3]
    return y[0]


@case.branches
def dict_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = {"a": x, "b": x + 1}
    else:
        y = {"a": x + 3, "b": x + 4}
    return y["a"], y["b"]


@case.branches
def dict_key_mismatch() -> Any:
    x = numbered()
    if x > 1:
        y = {"a": x}
    else:
        y = {"b": x + 3}
    return y["a"]


@case.branches
def nested_structure() -> Any:
    x = numbered()
    if x > 1:
        y = {"a": [x, (x, x + 1)]}
    else:
        y = {"a": [x + 5, (x + 6, x + 7)]}
    return y["a"][0], y["a"][1][0], y["a"][1][1]


@case
def attribute_class() -> Any:
    class C:
        pass

    def body():
        c = C()
        x = numbered()
        c.v = x
        if x > 1:
            c.v = x + 10
        else:
            c.v = x + 20
        return c.v

    return run_branches(body)


@case
def attribute_one_branch() -> Any:
    class C:
        pass

    def body():
        c = C()
        x = numbered()
        c.v = x
        if x > 1:
            c.v = x + 10
        return c.v

    return run_branches(body)


@case
def attribute_of_self() -> Any:
    class C:
        def __init__(self, x):
            self.v = x

        def added(self, x):
            if x > 1:
                self.v = self.v + 5
            return self.v

    return run_branches(lambda: C(numbered()).added(numbered()))


@case.branches
def dict_item_set() -> Any:
    x = numbered()
    d = {"a": x}
    if x > 1:
        d["a"] = x + 10
    return d["a"]


@case.branches
def dict_item_new() -> Any:
    x = numbered()
    d = {}
    if x > 1:
        d["a"] = x + 10
    else:
        d["a"] = x
    return d["a"]


@case.branches
def list_item_set() -> Any:
    x = numbered()
    d = [x, x]
    if x > 1:
        d[0] = x + 10
    else:
        d[1] = x + 20
    return d[0], d[1]
