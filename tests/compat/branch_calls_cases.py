"""Cases: calls under branches, and what they are given."""

from __future__ import annotations

from typing import Any

import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

from catalogue import Group
from pipelines import numbered, run_branches, vectors

case = Group("conditionals")


@case.branches
def type_differs() -> Any:
    x = numbered()
    if x > 1:
        d = types.FLOAT
        y = fn.cast(x, dtype=d)
    else:
        d = types.FLOAT
        y = fn.cast(x + 5, dtype=d)
    return y


@case.branches
def list_lengths_differ_unused() -> Any:
    v = vectors()
    x = numbered()
    if x > 1:
        k = [3, 1, 1]
        y = fn.reductions.sum(fn.reshape(v, shape=k))
    else:
        k = [1, 3]
        y = fn.reductions.sum(fn.reshape(v, shape=k))
    return y


@case.branches
def string_argument_differs() -> Any:
    v = vectors()
    x = numbered()
    if x > 1:
        policy = "pad"
        y = fn.slice(v, start=[1], shape=[3], axes=[0], out_of_bounds_policy=policy)
    else:
        policy = "trim_to_shape"
        y = fn.slice(v, start=[1], shape=[3], axes=[0], out_of_bounds_policy=policy)
    return y


@case.branches
def none_then_value_python() -> Any:
    x = numbered()
    y = None
    if x > 1:
        y = x
    else:
        y = x + 3
    return y


@case
def yield_helper() -> Any:
    def gen(x):
        for k in range(3):
            yield (x + k)

    def body():
        x = numbered()
        return tuple(gen(x))

    return run_branches(body)


@case
def star_arguments_helper() -> Any:
    def helper(*a, **k):
        if a[0] > 1:
            r = a[0] + k["c"]
        else:
            r = a[1]
        return r

    def body():
        return helper(*[numbered(), numbered()], **{"c": 5})

    return run_branches(body)


@case
def recursive_function() -> Any:
    def helper(x, n):
        if n == 0:
            return x
        if x > n:
            y = x + 10
        else:
            y = x
        return helper(y, n - 1)

    def body():
        return helper(numbered(), 3)

    return run_branches(body)


@case
def map_with_if() -> Any:
    def inner(v):
        if v > 1:
            return v + 10
        else:
            return v

    def body():
        return tuple(map(inner, [numbered(), numbered() + 1]))

    return run_branches(body)


@case.branches
def if_small_float() -> Any:
    x = fn.constant(fdata=[0.3], shape=[])
    if x:
        y = x + 1
    else:
        y = x - 1
    return y


@case.branches
def not_small_float() -> Any:
    return not fn.constant(fdata=[0.3], shape=[])


@case
def class_conditional_pipeline() -> Any:
    class M:
        def __init__(self, k):
            self.k = k

        @pipeline_def(enable_conditionals=True, batch_size=4, num_threads=1, device_id=None)
        def define(self):
            x = numbered()
            if x > self.k:
                y = x + 100
            else:
                y = x
            return y

    pipeline = M(1).define()
    pipeline.build()
    return pipeline.run()


class Holder:
    value: Any


@case.branches
def attribute_made_in_both_branches() -> Any:
    holder = Holder()
    if numbered() > 1:
        holder.value = vectors()
    else:
        holder.value = vectors() + 5
    return holder.value


@case.branches
def attribute_made_in_one_branch() -> Any:
    holder = Holder()
    if numbered() > 1:
        holder.value = vectors()
    return holder.value


@case.branches
def attribute_set_in_nested_branches() -> Any:
    holder = Holder()
    holder.value = numbered()
    if holder.value > 1:
        if holder.value > 2:
            holder.value = holder.value * 100
        else:
            holder.value = holder.value * 10
    return holder.value


@case.branches
def and_with_an_axis() -> Any:
    return (vectors() > 1) and (vectors() > 2)
