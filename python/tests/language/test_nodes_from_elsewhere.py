"""Operators called outside of a pipeline, and nodes of other pipelines: a pipeline takes over what it uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, math, ops, pipeline_def, types


def run(*outputs: Any, batch_size: int = 2) -> list[Any]:
    pipe = Pipeline(batch_size=batch_size, num_threads=1, seed=5)
    pipe.set_outputs(*outputs)
    return [output.as_array().tolist() for output in pipe.run()]


def numbers() -> Any:
    return fn.external_source(lambda info: np.int32(info.idx_in_batch), batch=False)


def test_expressions_of_nodes_that_belong_nowhere_yet() -> None:
    one, other = numbers(), types.Constant(np.array([10, 20]))
    together = math.max(one, 1) + other[1] + one.shape(dtype=types.INT32).shape(dtype=types.INT32)[0]
    assert run(together, one) == [[21, 21], [0, 1]]
    assert run(together, batch_size=3) == [[21, 21, 22]]


def test_they_are_arguments_of_a_definition() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make(node: Any, angle: Any) -> Any:
        return node + 1, fn.cast(node, dtype=types.FLOAT) * angle

    first, second = make(numbers(), types.Constant(np.array(3.0))).run()
    assert (first.as_array().tolist(), second.as_array().tolist()) == ([1, 2], [0.0, 3.0])


def test_each_operator_is_taken_over_once() -> None:
    calls: list[int] = []

    def give() -> Any:
        calls.append(1)
        return [np.int32(len(calls))] * 2

    node = fn.external_source(give)
    assert run(node, node + 0, node * 1) == [[1, 1]] * 3
    draw = fn.random.uniform(range=[0.0, 1.0])
    first, second = run(draw, draw + 0.0)
    assert first == second


def test_draws_are_those_of_the_pipeline() -> None:
    def inside() -> list[Any]:
        pipe = Pipeline(batch_size=2, num_threads=1, seed=5)
        with pipe:
            pipe.set_outputs(fn.random.uniform(), fn.random.uniform())
        return [output.as_array().tolist() for output in pipe.run()]

    assert run(fn.random.uniform(), fn.random.uniform()) == inside()


def test_nodes_of_a_pipeline_serve_another_also_once_it_is_built() -> None:
    first = Pipeline(batch_size=2, num_threads=1)
    with first:
        node = numbers() + 5
        first.set_outputs(node)
    assert first.run()[0].as_array().tolist() == [5, 6]
    assert run(node * 2, node) == [[10, 12], [5, 6]]


def test_branches_come_along() -> None:
    kept: list[Any] = []

    def body() -> Any:
        x = numbers()
        y = x
        if x > 0:
            y = x + 10
        kept.append(y)
        return y

    pipeline_def(batch_size=2, num_threads=1, enable_conditionals=True)(body)()
    assert run(kept[0] * 2) == [[0, 22]]


def test_functions_and_fed_sources_come_along() -> None:
    node = fn.external_source(name="fed", layout="X")
    doubled = fn.python_function(node, function=lambda x: x * 2)
    pipes = [Pipeline(batch_size=2, num_threads=1) for _ in range(2)]
    for number, pipe in enumerate(pipes):
        pipe.set_outputs(doubled, node)
        pipe.feed_input(node if number else "fed", [np.array([number])] * 2)
    for number, pipe in enumerate(pipes):
        outputs = pipe.run()
        assert [output.as_array().tolist() for output in outputs] == [[[2 * number]] * 2, [[number]] * 2]


def test_several_outputs_and_older_objects() -> None:
    image = types.Constant(np.arange(48, dtype=np.uint8).reshape(4, 4, 3), layout="HWC")
    anchor, shape = fn.random_crop_generator(fn.shapes(image), seed=3)
    assert np.shape(run(anchor, shape)) == (2, 2, 2)
    assert run(ops.Cast(dtype=types.FLOAT)(numbers())) == [[0.0, 1.0]]


def test_what_cannot_be_an_output() -> None:
    node = numbers()
    with pytest.raises(TypeError, match=r"output 1 is a list of DataNodes; unpack it with \*"):
        run(node, [node, node])
    assert not isinstance(node, Iterable)
    with pytest.raises(TypeError, match="not iterable"):
        list(node)


def test_a_pipeline_from_a_file_keeps_its_nodes() -> None:
    pipe = Pipeline(batch_size=2, num_threads=1)
    pipe.set_outputs(numbers() + 1)
    assert pipe.serialize() == pipe.serialize()
    same = Pipeline(batch_size=2, num_threads=1)
    same.set_outputs(numbers() + 1)
    assert same.serialize() == pipe.serialize()
