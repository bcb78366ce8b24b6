"""`if`, `and`, `or`, `not` on DataNodes choose for each sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import forebay
from forebay import SampleError, fn, pipeline_def, types
from forebay.graph import conditional_rewriter

SIZE = 6


def numbers() -> Any:
    return fn.external_source(lambda: [np.int32(k) for k in range(SIZE)])


def run(function: Any, *arguments: Any) -> list[list[Any]]:
    pipe = pipeline_def(batch_size=SIZE, num_threads=2, enable_conditionals=True)(function)(*arguments)
    return [output.as_array().tolist() for output in pipe.run()]


def test_both_branches_assign() -> None:
    def body() -> Any:
        x = numbers()
        if x < 3:
            y = x * 10
        else:
            y = x - 100
        return y

    assert run(body) == [[0, 10, 20, -97, -96, -95]]


def test_one_branch_assigns() -> None:
    def body() -> Any:
        x = numbers()
        y = x
        if x % 2 == 1:
            y = -x
        return y, x

    assert run(body) == [[0, -1, 2, -3, 4, -5], [0, 1, 2, 3, 4, 5]]


def test_elif_and_nesting() -> None:
    def body() -> Any:
        x = numbers()
        if x == 0:
            y = 100
        elif x < 3:
            y = 200
            if x == 2:
                y = y + 50
        else:
            if x == 5:
                y = x
            else:
                y = 300
        return y

    assert run(body) == [[100, 200, 250, 300, 300, 5]]


def test_plain_conditions_stay_pythons() -> None:
    def body(flag: bool) -> Any:
        x = numbers()
        if flag:
            only_here = 1
            x = x + only_here
        if not flag:
            undefined_elsewhere = 2  # noqa: F841
        values = [k for k in range(3) if k != 1]
        assert values == [0, 2] and (flag or not flag)
        return x

    assert run(body, True) == [[1, 2, 3, 4, 5, 6]]
    assert run(body, False) == [[0, 1, 2, 3, 4, 5]]


def test_returns_in_branches() -> None:
    def body() -> Any:
        x = numbers()
        if x > 3:
            return x, 1
        y = x + 10
        if x == 0:
            return y, 2
        return y * 2, 3

    assert run(body) == [[10, 22, 24, 26, 4, 5], [2, 3, 3, 3, 1, 1]]


def test_logic() -> None:
    def body() -> Any:
        x = numbers()
        small, odd = x < 3, x % 2 == 1
        return small and odd, small or odd, not small, (1 if small else 0)

    small = [1, 1, 1, 0, 0, 0]
    odd = [0, 1, 0, 1, 0, 1]
    got = [[int(value) for value in row] for row in run(body)]
    assert got == [
        [a & b for a, b in zip(small, odd)],
        [a | b for a, b in zip(small, odd)],
        [1 - a for a in small],
        small,
    ]


def test_operators_run_only_where_their_branch_is_taken() -> None:
    seen: list[int] = []

    def record(x: np.ndarray) -> np.ndarray:
        seen.append(int(x))
        return x.copy()

    def body() -> Any:
        x = numbers()
        y = x
        if x >= 4:
            y = fn.python_function(x, function=record)
        return y

    pipe = pipeline_def(batch_size=SIZE, num_threads=1, enable_conditionals=True, prefetch_queue_depth=1)(body)()
    pipe.run()
    pipe.close()
    assert set(seen) == {4, 5}


def test_called_functions_branch_too() -> None:
    def inner(x: Any) -> Any:
        if x < 2:
            return x
        return x * 100

    def body() -> Any:
        return inner(numbers())

    assert run(body) == [[0, 1, 200, 300, 400, 500]]


def test_methods_and_defaults_and_closures() -> None:
    factor = 7

    class Scaling:
        offset = 1

        def apply(self, x: Any, *, sign: int = -1) -> Any:
            if x == 0:
                x = x + self.offset
            return x * factor * sign

    def body() -> Any:
        return Scaling().apply(numbers())

    assert run(body) == [[-7, -7, -14, -21, -28, -35]]


def test_do_not_convert() -> None:
    @forebay.do_not_convert
    def inner(x: Any) -> Any:
        if x < 2:
            return x
        return x * 100

    with pytest.raises(TypeError, match="no truth value"):
        run(lambda_free(inner))


def lambda_free(inner: Any) -> Any:
    def body() -> Any:
        return inner(numbers())

    return body


def test_containers_merge_part_by_part() -> None:
    def body() -> Any:
        x = numbers()
        pair = (x, {"a": x})
        if x > 2:
            pair = (x + 1, {"a": x + 2})
        return pair[0], pair[1]["a"]

    assert run(body) == [[0, 1, 2, 4, 5, 6], [0, 1, 2, 5, 6, 7]]


def test_random_numbers_do_not_depend_on_the_branch() -> None:
    def body() -> Any:
        x = numbers()
        y = 0.0
        if x > 2:
            y = fn.random.uniform(range=[1.0, 2.0], name="draw")
        return y

    def always() -> Any:
        numbers()
        return fn.random.uniform(range=[1.0, 2.0], name="draw")

    draws = [
        pipeline_def(batch_size=SIZE, num_threads=1, seed=5, enable_conditionals=True)(f)().run()[0].as_array()
        for f in (body, always)
    ]
    np.testing.assert_array_equal(draws[0][3:], draws[1][3:])
    assert (draws[0][:3] == 0).all()


def test_a_variable_of_one_branch_cannot_be_used() -> None:
    def body() -> Any:
        x = numbers()
        if x > 2:
            y = x
        return y + 1  # noqa: F821

    with pytest.raises(NameError, match="'y' is not set in every branch"):
        run(body)


def test_values_that_cannot_be_merged() -> None:
    def body() -> Any:
        x = numbers()
        y: Any = "text"
        if x > 2:
            y = x
        return y

    with pytest.raises(TypeError, match="cannot be merged"):
        run(body)


def test_without_conditionals_a_node_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="enable_conditionals"):

        @pipeline_def(batch_size=1)
        def make() -> Any:
            x = numbers()
            if x > 1:
                x = x + 1
            return x

        make()


def test_while_is_refused() -> None:
    def body() -> Any:
        x = numbers()
        while x < 3:
            x = x + 1
        return x

    with pytest.raises(TypeError, match="no truth value"):
        run(body)


def test_merged_types_must_agree_in_use() -> None:
    def body() -> Any:
        x = numbers()
        if x > 2:
            y = fn.cast(x, dtype=types.FLOAT) / 2
        else:
            y = fn.cast(x, dtype=types.FLOAT)
        return y

    assert run(body) == [[0, 1, 2, 1.5, 2, 2.5]]


def test_transformed_functions_keep_their_lines() -> None:
    def body() -> Any:
        x = numbers()
        if x > 2:
            raise ValueError("here")
        return x

    with pytest.raises(ValueError, match="here") as caught:
        run(body)
    line = caught.traceback[-1].lineno
    assert line == body.__code__.co_firstlineno + 2  # counted from 0
    assert conditional_rewriter.convert(body).__name__ == "body"


@pytest.mark.parametrize("on_error", ["raise", "skip", "replace"])
def test_branches_of_different_types_are_refused(on_error: str) -> None:
    @pipeline_def(batch_size=SIZE, num_threads=2, enable_conditionals=True, on_error=on_error)
    def make() -> Any:
        x = numbers()
        if x == 2:
            x = x * 1.5
        return fn.cast(x, dtype=types.UINT8)

    with pytest.raises(ValueError, match="branches of an `if` give x .*sample 0 is int32 .*sample 2 is float"):
        make().run()


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize(("other", "least"), [("CHW", 3), ("", 3), ("HWC", SIZE), ("CHW", 0), ("CHW", SIZE)])
def test_branches_of_different_layouts_are_refused(other: str, least: int, debug: bool) -> None:
    @pipeline_def(batch_size=SIZE, num_threads=2, enable_conditionals=True, debug=debug)
    def make() -> Any:
        picture = fn.external_source(lambda: [np.zeros((2, 3, 4), np.uint8)] * SIZE)
        if numbers() < least:
            y = fn.reshape(picture, layout="HWC")
        elif other:
            y = fn.reshape(picture, layout=other)
        else:
            y = picture
        return y

    pipe = make()
    if other != "HWC" and least == 3:
        with pytest.raises(ValueError, match=f"branches of an `if` give y .*layout.*'({other}|HWC)'.*'({other}|HWC)'"):
            pipe.run()
    else:
        assert pipe.run()[0].layout() == ("HWC" if least else other)


def test_logic_on_what_is_no_bool_is_refused() -> None:
    def left() -> Any:
        return numbers() and numbers() > 1

    def right() -> Any:
        return numbers() >= 0 or numbers() < 0 or numbers()

    def with_axis() -> Any:
        return not fn.stack(numbers(), numbers())

    with pytest.raises(SampleError, match="`and` asks for a bool, not for int32; compare it with a number first"):
        run(left)
    assert run(right) == [[True] * 6]  # the numbers are never asked
    with pytest.raises(SampleError, match="`not` asks for a scalar, not for a tensor of int32 2"):
        run(with_axis)


def test_a_condition_with_an_axis_is_refused() -> None:
    def body() -> Any:
        x = fn.stack(numbers(), numbers())
        y = numbers()
        if x:
            y = y + 1
        return y

    with pytest.raises(SampleError, match="`if` asks for a scalar, not for a tensor of int32 2; reduce or index it"):
        run(body)


def test_functions_without_source_code() -> None:
    space: dict[str, Any] = {"numbers": numbers}
    code = "def plain(flag):\n    x = numbers()\n    if flag:\n        x = x + 1\n    return x\n"
    exec(code + "def branching():\n    x = numbers()\n    return x if x else -x\n", space)
    assert run(space["plain"], True) == [[1, 2, 3, 4, 5, 6]]
    with pytest.raises(TypeError, match=r"branching\(\) branches on a DataNode, which needs its source code"):
        run(space["branching"])
