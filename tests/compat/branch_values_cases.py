"""Cases: conditions of every type, and what two branches may give."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

from catalogue import Group
from pipelines import numbered, vectors

case = Group("conditionals")


def conditions(values: Any = (True, False, True, False)) -> Any:
    return fn.external_source(source=lambda info: np.array(values[info.idx_in_batch]), batch=False)


@case.branches
def list_append() -> Any:
    x = numbered()
    d = []
    if x > 1:
        d.append(x + 10)
    else:
        d.append(x + 20)
    return tuple(d)


@case.branches
def augmented_assignment() -> Any:
    x = numbered()
    y = x
    if x > 1:
        y += 10
    else:
        y -= 10
    return y


@case.branches
def tuple_assign() -> Any:
    x = numbered()
    if x > 1:
        a, b = x, x + 1
    else:
        a, b = x + 2, x + 3
    return a, b


@case.branches
def if_expression_nested() -> Any:
    x = numbered()
    return x + 10 if x > 1 else x * 5 if x > 0 else x - 3


@case.branches
def if_expression_constant() -> Any:
    x = numbered()
    return 1 if x > 1 else 2


@case.branches
def and_or() -> Any:
    x = numbered()
    return x > 0 and x < 3, x < 1 or x > 2, not x > 1


@case.branches
def and_of_conditions() -> Any:
    x = numbered()
    c = conditions()
    return c and x > 0, c or x > 0


@case.branches
def and_python_bool() -> Any:
    c = conditions()
    return c and True, c or False, True and c, False or c


@case.branches
def and_python_false_first() -> Any:
    c = conditions()
    return False and c, True or c


@case.branches
def and_python_none() -> Any:
    c = conditions()
    x = None or c
    return x


@case.branches
def or_int_node_second() -> Any:
    return conditions() or numbered()


@case.branches
def and_float_node() -> Any:
    return conditions() and numbered(np.float32)


@case.branches
def not_float() -> Any:
    return not numbered(np.float32)


@case.branches
def not_int() -> Any:
    return not numbered()


@case.branches
def not_nonscalar() -> Any:
    return not vectors() > 1


@case.branches
def if_nonscalar() -> Any:
    v = vectors()
    if v > 1:
        y = v
    else:
        y = v + 1
    return y


@case.branches
def if_of_one_element() -> Any:
    x = fn.external_source(source=lambda i: np.array([i.idx_in_batch]), batch=False)
    if x > 1:
        y = x
    else:
        y = x + 10
    return y


@case.branches
def if_int_predicate() -> Any:
    x = numbered()
    if x:
        y = x + 10
    else:
        y = x - 10
    return y


@case.branches
def if_float_predicate() -> Any:
    x = numbered(np.float32)
    if x:
        y = x + 10
    else:
        y = x - 10
    return y


@case.branches
def if_float16_predicate() -> Any:
    x = numbered(np.float16)
    if x:
        y = fn.cast(x, dtype=types.INT32) + 10
    else:
        y = fn.cast(x, dtype=types.INT32) - 10
    return y


@case.branches
def bitand_predicate() -> Any:
    x = numbered()
    if (x > 0) & (x < 3):
        y = x + 10
    else:
        y = x
    return y


@case.branches
def chained_compare() -> Any:
    x = numbered()
    if 0 < x < 3:
        y = x + 10
    else:
        y = x
    return y


@case
def python_condition_parameter() -> Any:
    @pipeline_def(batch_size=4, num_threads=1, device_id=None, enable_conditionals=True)
    def define(flag):
        x = numbered()
        if flag and x > 1:
            y = x + 10
        else:
            y = x
        return y

    pipeline = define(True)
    pipeline.build()
    other = define(False)
    other.build()
    return pipeline.run(), other.run()


@case.branches
def node_is_none() -> Any:
    x = numbered()
    y = None
    if y is None:
        y = x
    if x is not None:
        y = y + 1
    return y


@case.branches
def isinstance_condition() -> Any:
    x = numbered()
    if isinstance(x, int):
        return x
    return x + 1


@case.branches
def split_different_operators() -> Any:
    v = vectors()
    x = numbered()
    if x > 1:
        y = fn.reductions.sum(v)
    else:
        y = fn.reductions.max(v)
    return y


@case.branches
def type_mismatch_merge() -> Any:
    x = numbered()
    if x > 1:
        y = fn.cast(x, dtype=types.FLOAT)
    else:
        y = x
    return y


@case.branches
def rank_mismatch_merge() -> Any:
    x = numbered()
    v = vectors()
    if x > 1:
        y = v
    else:
        y = x
    return y


@case.branches
def layout_mismatch_merge() -> Any:
    x = numbered()
    v = fn.reshape(vectors(), shape=[1, 3], layout="HW")
    w = fn.reshape(vectors(), shape=[1, 3], layout="XY")
    if x > 1:
        y = v
    else:
        y = w
    return y


@case.branches
def layout_one_missing_merge() -> Any:
    x = numbered()
    v = fn.reshape(vectors(), shape=[1, 3], layout="HW")
    w = fn.reshape(vectors(), shape=[1, 3])
    if x > 1:
        y = v
    else:
        y = w
    return y


@case.branches
def random_in_branch() -> Any:
    x = numbered()
    if x > 1:
        y = fn.random.uniform(range=(2.0, 2.0))
    else:
        y = fn.random.uniform(range=(3.0, 3.0))
    return y
