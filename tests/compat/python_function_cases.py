"""Cases: functions of the script as operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn

from catalogue import Group
from pipelines import run

case = Group("python_functions")


def squares() -> Any:
    return fn.external_source(source=lambda: [np.arange(4, dtype=np.float32).reshape(2, 2) + i for i in range(3)])


def applied(function: Any, *inputs: Any, runs: int = 1, **arguments: Any) -> Any:
    return run(lambda: fn.python_function(*(give() for give in inputs), function=function, **arguments), runs)


case.table(
    {
        "double": lambda: applied(lambda x: x * 2, squares),
        "type_change": lambda: applied(lambda x: x.astype(np.int16), squares),
        "two_inputs": lambda: applied(lambda x, y: x + y, squares, squares),
        "one_out_tuple": lambda: applied(lambda x: (x,), squares),
        "no_input": lambda: applied(lambda: np.arange(3), batch_processing=False),
        "no_input_batch": lambda: applied(lambda: [np.arange(3)] * 3, batch_processing=True),
        "batch": lambda: applied(lambda xs: [x * 2 for x in xs], squares, batch_processing=True),
        "batch_wrong_size": lambda: applied(lambda xs: xs[:2], squares, batch_processing=True),
        "batch_array_result": lambda: applied(lambda xs: np.stack(xs), squares, batch_processing=True),
        "return_view": lambda: applied(lambda x: x[:, ::-1], squares),
        "return_transpose": lambda: applied(lambda x: x.T, squares),
        "return_scalar": lambda: applied(lambda x: np.array(x.sum()), squares),
        "return_numpy_scalar": lambda: applied(lambda x: x.sum(), squares),
        "return_py_int": lambda: applied(lambda x: 3, squares),
        "return_py_float": lambda: applied(lambda x: 3.5, squares),
        "return_list": lambda: applied(lambda x: [1, 2], squares),
        "return_none": lambda: applied(lambda x: None, squares),
        "return_str": lambda: applied(lambda x: "a", squares),
        "return_bool_array": lambda: applied(lambda x: x > 2, squares),
        "return_ragged": lambda: applied(lambda x: np.zeros(int(x[0, 0])), squares),
        "return_empty": lambda: applied(lambda x: np.zeros((0, 2), np.float32), squares),
        "return_mixed_type": lambda: applied(lambda x: x if x[0, 0] > 0 else x.astype(np.int32), squares),
        "return_mixed_rank": lambda: applied(lambda x: x if x[0, 0] > 0 else x[0], squares),
        "layouts": lambda: applied(lambda x: x, squares, output_layouts="HW"),
        "layouts_long": lambda: applied(lambda x: x, squares, output_layouts=["HW", "XY"]),
        "layout_rank": lambda: applied(lambda x: x, squares, output_layouts="HWC"),
        "wrong_arity": lambda: applied(lambda: 1, squares),
        "not_callable": lambda: applied(5, squares),
        "unknown_key_word": lambda: applied(lambda x: x, squares, nonsense=1),
        "numpy_function": lambda: applied(np.sin, squares),
        "builtin_len": lambda: applied(len, squares),
        "keyword_name": lambda: applied(lambda x: x, squares, name="nm", preserve=True),
    }
)


@case
def no_output() -> Any:
    calls = []

    def body():
        x = squares()
        fn.python_function(x, function=lambda a: calls.append(1), num_outputs=0)
        return x

    return run(body), len(calls) >= 3


@case
def result_without_outputs() -> Any:
    seen = []

    def body():
        x = squares()
        seen.append(fn.python_function(x, function=lambda a: None, num_outputs=0))
        return x

    run(body)
    return seen


@case
def batch_input_type() -> Any:
    seen = []

    def inner(xs):
        seen.append((type(xs).__name__, len(xs), type(xs[0]).__name__))
        return xs

    applied(inner, squares, batch_processing=True)
    return seen[:1]


@case
def sample_type() -> Any:
    seen = []

    def inner(x):
        seen.append((type(x).__name__, x.dtype.name, x.shape, x.flags.writeable, x.flags.c_contiguous))
        return x

    applied(inner, squares)
    return seen[:1]


@case
def write_in_place() -> Any:
    def inner(x):
        x[:] = 7
        return x

    return applied(inner, squares)


@case
def write_sort() -> Any:
    def inner(x):
        x.sort()
        return x[::-1]

    return applied(inner, squares)


@case
def write_batch() -> Any:
    def inner(xs):
        for x in xs:
            x *= 3
        return xs

    return applied(inner, squares, batch_processing=True)


@case
def write_constant() -> Any:
    def inner(x, k):
        k[:] = 0
        return x + k

    return run(lambda: fn.python_function(squares(), np.float32([1, 2]), function=inner), 2)


@case
def raises_value() -> Any:
    def inner(x):
        raise ValueError("own words")

    return applied(inner, squares)


@case
def raises_custom() -> Any:
    class Own(Exception):
        pass

    def inner(x):
        raise Own("own words")

    return applied(inner, squares)


@case
def raises_stop() -> Any:
    def inner(x):
        raise StopIteration("own")

    return applied(inner, squares)


@case
def raises_batch() -> Any:
    def inner(x):
        raise ValueError("own words")

    return applied(inner, squares, batch_processing=True)
