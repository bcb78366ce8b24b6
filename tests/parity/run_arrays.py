"""Runs the calls of `array_cases.py` in MXNet or in Forebay and writes what came of them.

    python run_arrays.py mxnet|forebay results.pickle
"""

from __future__ import annotations

import builtins
import pickle
import sys
import warnings

import numpy as np

import array_cases


def plain(result):
    """Arrays as (shape, type, bytes), lists of them as lists."""
    if isinstance(result, (list, tuple)):
        return [plain(item) for item in result]
    values = np.ascontiguousarray(result.asnumpy())
    return (tuple(result.shape), np.dtype(result.dtype).name, values.tobytes())


def kind_of(error):
    """The name of the exception that Python has for it."""
    return next(kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind)


def outcome(call):
    """("value", ...) or ("error", the exception's class and text)."""
    try:
        return ("value", plain(call()))
    except Exception as error:
        return ("error", f"{kind_of(error)}: {error}")


def read(nd, expression, more=()):
    return outcome(lambda: eval(expression, {**array_cases.arrays(nd, np), **dict(more)}))


def write(nd, statement):
    names = array_cases.arrays(nd, np)

    def call():
        exec(statement, names)
        return names[statement[0]]

    return outcome(call)


def gradient(nd, autograd, expression):
    a = nd.array([[1.25, 2.5, 3.75], [0.5, 4.25, 1.75]])
    w = nd.array([[1.0, 1.5, 2.0], [0.25, 1.25, 1.75]])
    a.attach_grad()

    def call():
        with autograd.record():
            result = eval(expression, {"a": a, "w": w, "nd": nd})
            result = result.sum()
        result.backward()
        return a.grad

    return outcome(call)


def typed(nd, expression, dtype):
    return read(nd, expression, {"a": nd.array([[1, 2, 3], [3, 1, 2]], dtype=dtype)}.items())


def results(nd, autograd):
    found = {}
    for text in (array_cases.READS, array_cases.SHAPES, array_cases.FUNCTIONS):
        found.update({line: read(nd, line) for line in text.split("\n") if line})
    found.update({line: write(nd, line) for line in array_cases.WRITES.split("\n") if line})
    found.update({f"gradient of {line}": gradient(nd, autograd, line) for line in array_cases.GRADIENTS})
    calls = [f"nd.{name}(a)" for name in array_cases.OF_NUMBERS] + array_cases.OF_PAIRS
    for dtype in array_cases.NUMBER_TYPES:
        found.update({f"{call} of {dtype}": typed(nd, call, dtype) for call in calls})
    return found


def main() -> None:
    library, path = sys.argv[1:]
    warnings.simplefilter("ignore")
    if library == "mxnet":
        from mxnet import autograd, nd
    else:
        from forebay import autograd, nd
    with open(path, "wb") as file:
        pickle.dump(results(nd, autograd), file, protocol=4)


if __name__ == "__main__":
    main()
