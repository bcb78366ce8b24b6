"""Cases: what functions of the script are given, write and say."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.ops as ops
import nvidia.dali.types as types
from nvidia.dali import Pipeline, pipeline_def

from catalogue import Group
from pipelines import run

case = Group("python_functions")


def squares() -> Any:
    return fn.external_source(source=lambda: [np.arange(4, dtype=np.float32).reshape(2, 2) + i for i in range(3)])


def applied(function: Any, *inputs: Any, runs: int = 1, **arguments: Any) -> Any:
    return run(lambda: fn.python_function(*(give() for give in inputs), function=function, **arguments), runs)


case.outputs_table(
    {
        "two_outputs": lambda: tuple(fn.python_function(squares(), function=lambda x: (x, x + 1), num_outputs=2)),
        "wrong_count": lambda: tuple(fn.python_function(squares(), function=lambda x: (x,), num_outputs=2)),
        "too_many_outputs": lambda: fn.python_function(squares(), function=lambda x: (x, x)),
        "batch_of_two_outputs": lambda: tuple(
            fn.python_function(
                squares(), function=lambda xs: (xs, [x + 1 for x in xs]), num_outputs=2, batch_processing=True
            )
        ),
        "constant_input": lambda: fn.python_function(squares(), 5, function=lambda x, k: x + k),
        "array_input": lambda: fn.python_function(
            squares(), np.float32([[1, 2], [3, 4]]), function=lambda x, k: x + k
        ),
        "list_input": lambda: fn.python_function(squares(), [1, 2], function=lambda x, k: x + k),
        "types_constant_input": lambda: fn.python_function(squares(), types.Constant(2), function=lambda x, k: x + k),
        "types_constant_array_input": lambda: fn.python_function(
            squares(), types.Constant([1.0, 2.0]), function=lambda x, k: x + k
        ),
        "only_constant_input": lambda: fn.python_function(np.arange(3), function=lambda k: k * 2),
        "only_int_input": lambda: fn.python_function(4, function=lambda k: k * 2),
        "string_input": lambda: fn.python_function(squares(), "abc", function=lambda x, k: x),
        "none_input": lambda: fn.python_function(squares(), None, function=lambda x, k: x),
        "node_list_input": lambda: fn.python_function([squares(), squares()], function=lambda x: x),
        "layouts_list": lambda: tuple(
            fn.python_function(squares(), function=lambda x: (x, x), num_outputs=2, output_layouts=["HW", "XY"])
        ),
        "layouts_short": lambda: tuple(
            fn.python_function(squares(), function=lambda x: (x, x), num_outputs=2, output_layouts=["HW"])
        ),
        "input_layout_dropped": lambda: fn.python_function(fn.reshape(squares(), layout="HW"), function=lambda x: x),
        "missing_function": lambda: fn.python_function(squares()),
        "after_operator": lambda: fn.cast(fn.python_function(squares(), function=lambda x: x * 2), dtype=types.INT32)
        + 1,
        "numpy_function_of_two": lambda: fn.python_function(squares(), squares(), function=np.add),
        "dlpack_tensor_batch": lambda: fn.dl_tensor_python_function(
            squares(), function=lambda xs: xs, batch_processing=True
        ),
        "tensor_argument_input_from_function": lambda: fn.pad(
            squares(),
            fill_value=fn.python_function(squares(), function=lambda x: np.array(x[0, 0], np.float32)),
            shape=[2, 3],
        ),
    }
)


@case
def operators_object() -> Any:
    f = ops.PythonFunction(function=lambda x: x * 2)
    return run(lambda: f(squares()))


@case
def operators_object_positional() -> Any:
    f = ops.PythonFunction(lambda x: x * 2)
    return run(lambda: f(squares()))


@case
def operators_object_two() -> Any:
    f = ops.PythonFunction(function=lambda x: (x, x + 1), num_outputs=2)
    return run(lambda: tuple(f(squares())))


@case
def operators_object_input_sets() -> Any:
    f = ops.PythonFunction(function=lambda x: x * 2)
    return run(lambda: tuple(f([squares(), squares()])))


@case
def preserved() -> Any:
    calls = []

    def body():
        x = squares()
        fn.python_function(x, function=lambda a: (calls.append(1), a)[1], preserve=True)
        return x

    run(body)
    return len(calls) >= 3


@case
def not_preserved() -> Any:
    calls = []

    def body():
        x = squares()
        fn.python_function(x, function=lambda a: (calls.append(1), a)[1])
        return x

    run(body)
    return len(calls)


@case
def nested_pipeline_in_function() -> Any:
    def inner(x):
        pipeline = pipeline_def(batch_size=1, num_threads=1, device_id=None)(
            lambda: fn.external_source(source=lambda: [x]) * 2
        )()
        pipeline.build()
        return np.array(pipeline.run()[0][0])

    return applied(inner, squares)


@case
def current_pipeline_inside() -> Any:
    seen = []

    def inner(x):
        seen.append(Pipeline.current() is None)
        return x

    applied(inner, squares)
    return seen[:1]


@case
def operators_dlpack() -> Any:
    f = ops.DLTensorPythonFunction(function=lambda x: x)
    return run(lambda: f(squares()))


@case
def state_in_closure() -> Any:
    n = [0]

    def inner(x):
        n[0] += 1
        return x * 0

    applied(inner, squares, runs=2)
    return n[0] >= 6


@case
def order_of_calls() -> Any:
    seen = []

    def inner(x):
        seen.append(int(x[0, 0]))
        return x

    applied(inner, squares)
    return seen[:3]
