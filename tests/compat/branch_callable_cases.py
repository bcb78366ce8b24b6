"""Cases: functions, methods and classes that have branches."""

from __future__ import annotations

import functools
from typing import Any

import nvidia.dali.fn as fn
from nvidia.dali.pipeline import do_not_convert

from catalogue import Group
from pipelines import numbered, run_branches

case = Group("conditionals")


@case.branches
def lambda_in_definition() -> Any:
    h = lambda a: a + 10 if a > 1 else a
    return h(numbered())


@case.branches
def nested_function_nonlocal() -> Any:
    x = numbered()
    y = x

    def helper():
        nonlocal y
        if x > 1:
            y = x + 10

    helper()
    return y


@case
def global_variable() -> Any:
    global G

    def body():
        global G
        x = numbered()
        G = x
        if x > 1:
            G = x + 10
        return G

    return run_branches(body)


@case
def closure_variable() -> Any:
    k = 7

    def body():
        x = numbered()
        if x > 1:
            y = x + k
        else:
            y = x
        return y

    return run_branches(body)


@case
def functools_partial() -> Any:
    def helper(a, b):
        if a > 1:
            return a + b
        else:
            return a

    def body():
        return functools.partial(helper, b=10)(numbered())

    return run_branches(body)


@case
def decorator_helper() -> Any:
    def deco(g):
        @functools.wraps(g)
        def w(*a):
            return g(*a) + 100

        return w

    @deco
    def helper(x):
        if x > 1:
            return x + 1
        else:
            return x

    def body():
        return helper(numbered())

    return run_branches(body)


@case
def function_kept_from_rewriting() -> Any:
    @do_not_convert
    def helper(x):
        return x + 1

    def body():
        return helper(numbered())

    return run_branches(body)


@case
def do_not_convert_with_if() -> Any:
    @do_not_convert
    def helper(x):
        if x > 1:
            return x + 1
        return x

    def body():
        return helper(numbered())

    return run_branches(body)


@case
def do_not_convert_python_function() -> Any:
    @do_not_convert
    def inner(a):
        if a > 1:
            return a * 10
        return a

    def body():
        return fn.python_function(numbered(), function=inner)

    return run_branches(body)


@case
def class_call() -> Any:
    class C:
        def __call__(self, x):
            if x > 1:
                return x + 1
            else:
                return x

    c = C()

    def body():
        return c(numbered())

    return run_branches(body)


@case
def static_and_class_methods() -> Any:
    class C:
        @staticmethod
        def s(x):
            if x > 1:
                return x + 1
            else:
                return x

        @classmethod
        def c(cls, x):
            if x > 1:
                return x + 2
            else:
                return x

    def body():
        return C.s(numbered()), C.c(numbered())

    return run_branches(body)


@case
def super_call() -> Any:
    class A:
        def helper(self, x):
            if x > 1:
                return x + 1
            else:
                return x

    class B(A):
        def helper(self, x):
            return super().helper(x) * 2

    def body():
        return B().helper(numbered())

    return run_branches(body)


@case
def property_getter() -> Any:
    class A:
        def __init__(self, x):
            self.x = x

        @property
        def y(self):
            return self.x + 1

    def body():
        a = A(numbered())
        if a.y > 2:
            r = a.y
        else:
            r = a.x
        return r

    return run_branches(body)
