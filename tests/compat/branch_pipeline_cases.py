"""Cases: branches of pipelines as a whole, and outputs that come from a branch."""

from __future__ import annotations

from typing import Any


import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import Pipeline, pipeline_def

from catalogue import Group
from pipelines import numbered, run_branches

case = Group("conditionals")


@case
def serialized_conditionals() -> Any:
    def body():
        x = fn.external_source(name="in")
        if x > 1:
            y = x + 10
        else:
            y = x - 10
        return y

    pipeline = pipeline_def(batch_size=4, num_threads=1, device_id=None, enable_conditionals=True)(body)()
    other = Pipeline.deserialize(pipeline.serialize(), batch_size=4, num_threads=1, device_id=None)
    other.build()
    other.feed_input("in", [np.array(i, np.int32) for i in range(4)])
    return other.run()


@case
def variable_batch_conditionals() -> Any:
    sizes = [4, 1, 3]

    def body():
        x = fn.external_source(source=lambda i: [np.array(k, np.int32) for k in range(sizes[i % 3])])
        if x > 1:
            y = x + 10
        else:
            y = x - 10
        return y

    return run_branches(body, 3)


@case.branches
def out_of_scope_in_branch_node_used_outside() -> Any:
    x = numbered()
    keep = []
    if x > 1:
        t = x + 1
        keep.append(t)
        y = t
    else:
        y = x
    return y, keep[0]


@case.branches
def multiple_outputs_operator_in_branch() -> Any:
    x = numbered()
    if x > 1:
        a, b = fn.python_function(x, function=lambda v: (v, v + 1), num_outputs=2)
    else:
        a, b = x, x
    return a, b


@case.branches
def permute_batch_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = fn.permute_batch(x, indices=fn.batch_permutation())
    else:
        y = x
    return fn.reductions.sum(y) * 0


@case.branches
def permute_batch_constant_indices() -> Any:
    x = numbered()
    if x > 1:
        y = fn.permute_batch(x, indices=[1, 0])
    else:
        y = x
    return y


@case.branches
def bool_of_operator() -> Any:
    x = numbered()
    if fn.random.coin_flip(probability=1.0):
        y = x + 1
    else:
        y = x
    return y


@case.branches
def condition_of_a_constant() -> Any:
    x = numbered()
    if types.Constant(True):
        y = x + 1
    else:
        y = x
    return y


@case
def choice_by_halves() -> Any:
    def sel(x, ops_):
        if len(ops_) == 1:
            return ops_[0](x)
        half = len(ops_) // 2
        if x < half:
            return sel(x, ops_[:half])
        else:
            return sel(x, ops_[half:])

    def body():
        return sel(numbered(), [lambda s, k=k: s + 10 * k for k in range(4)])

    return run_branches(body)


@case
def define_graph_conditionals() -> Any:
    class P(Pipeline):
        def define_graph(self):
            x = numbered()
            if x > 1:
                y = x + 1
            else:
                y = x
            return y

    pipeline = P(batch_size=4, num_threads=1, device_id=None)
    pipeline.build()
    return pipeline.run()


@case
def with_pipeline_conditionals() -> Any:
    pipeline = Pipeline(batch_size=4, num_threads=1, device_id=None)
    with pipeline:
        x = numbered()
        if x > 1:
            y = x
        else:
            y = x + 1
        pipeline.set_outputs(y)
    pipeline.build()
    return pipeline.run()
