"""Operators written in Python."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

from forebay import Pipeline, SampleError, fn, pipeline_def, types


def build(function: Callable[..., Any], inputs: int = 1, **arguments: Any) -> Pipeline:
    pipeline = arguments.pop("pipeline", {})

    @pipeline_def(**{"batch_size": 4, "num_threads": 2, **pipeline})
    def make() -> Any:
        numbers = fn.external_source(lambda i: [np.array([4 * i + k, k], np.int32) for k in range(4)])
        outputs = fn.python_function(*[numbers] * inputs, function=function, **arguments)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    return make()


def test_each_sample() -> None:
    (output,) = build(lambda x: x * 2).run()
    np.testing.assert_array_equal(output.as_array(), [[0, 0], [2, 2], [4, 4], [6, 6]])


def test_several_inputs_and_outputs() -> None:
    pipe = build(lambda a, b: (a + b, np.float32(a.sum())), inputs=2, num_outputs=2, output_layouts=["X"])
    total, number = pipe.run()
    np.testing.assert_array_equal(total.as_array()[3], [6, 6])
    assert (total.layout(), number.layout()) == ("X", "")
    assert number.shape() == [()] * 4
    assert number.dtype == types.FLOAT


def test_the_whole_batch() -> None:
    def function(batch: list[np.ndarray]) -> list[np.ndarray]:
        assert len(batch) == 4
        return batch[::-1]

    (output,) = build(function, batch_processing=True).run()
    np.testing.assert_array_equal(output.as_array()[:, 0], [3, 2, 1, 0])


def test_output_goes_on_into_other_operators() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        data = fn.external_source(lambda: [np.arange(3, dtype=np.uint8)] * 2)
        return fn.cast(fn.python_function(data, function=lambda x: x + 1), dtype=types.FLOAT) + 0.5

    (output,) = make().run()
    np.testing.assert_array_equal(output.as_array(), [[1.5, 2.5, 3.5]] * 2)


def test_inputs_cannot_be_written() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        x[0] = 1
        return x

    with pytest.raises(RuntimeError, match="read-only"):
        build(function).run()


def test_an_array_that_somebody_else_holds_is_copied() -> None:
    kept = np.zeros(2, np.int32)

    def function(x: np.ndarray) -> np.ndarray:
        kept[:] = x
        return kept

    (output,) = build(function).run()
    np.testing.assert_array_equal(output.as_array()[:, 0], [0, 1, 2, 3])


def test_the_exception_is_the_cause_of_the_error() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        if x[0] == 2:
            raise LookupError("no two")
        return x

    pipe = build(function)
    with pytest.raises(SampleError, match="no two") as caught:
        pipe.run()
    assert isinstance(caught.value.__cause__, LookupError)
    assert caught.value.position == 2
    (output,) = pipe.run()
    assert output.at(0)[0] == 4


def test_errors_of_single_samples_follow_the_policy() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        if x[0] == 2:
            raise LookupError("no two")
        return x

    pipe = build(function, pipeline={"on_error": "skip"})
    (output,) = pipe.run()
    np.testing.assert_array_equal(output.as_array()[:, 0], [0, 1, 3])
    (error,) = pipe.errors()
    assert error["position"] == 2 and "no two" in error["cause"]


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="callable"):
        build(3)  # type: ignore[arg-type]
    with pytest.raises((RuntimeError, ValueError), match="num_outputs=2"):
        build(lambda x: x, num_outputs=2).run()
    with pytest.raises(NotImplementedError, match="CPU"):
        build(lambda x: x, device="gpu")
