"""Functions with many branches: dozens of `continue`s in a loop, long chains of `elif`, and what leaves a branch midway."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import pathlib
from typing import Any, Callable

import pytest
from test_conditionals import SIZE, numbers, run

from forebay import fn
from forebay.graph import single_exit

MANY = 40


def written(folder: pathlib.Path, *lines: str) -> Callable[..., Any]:
    """The function `body` of a file with these lines."""
    path = folder / "written.py"
    path.write_text("\n".join(lines) + "\n")
    described = importlib.util.spec_from_file_location("written", path)
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module.body  # type: ignore[no-any-return]


def test_many_continues_in_a_loop_that_asks_plain_values(tmp_path: pathlib.Path) -> None:
    choices = [line for k in range(MANY) for line in (f"        if step == {k}:", f"            y = y + {k}", "            continue")]
    body = written(
        tmp_path, "def body(x):", "    y = x", f"    for step in range({MANY + 1}):", *choices, "        y = y + 1000", "    return y"
    )
    assert run(lambda: body(numbers())) == [[x + sum(range(MANY)) + 1000 for x in range(SIZE)]]


def test_many_continues_in_a_loop_that_asks_nodes(tmp_path: pathlib.Path) -> None:
    choices = [line for k in range(MANY) for line in (f"        if x + step == {k}:", f"            y = y + {k}", "            continue")]
    body = written(
        tmp_path, "def body(x):", "    y = x", f"    for step in ({MANY - 3}, 0):", *choices, "        y = y + 1000", "    return y"
    )
    later = [x + MANY - 3 if x < 3 else 1000 for x in range(SIZE)]
    assert run(lambda: body(numbers())) == [[x + later[x] + x for x in range(SIZE)]]


def test_a_long_chain(tmp_path: pathlib.Path) -> None:
    choices = [line for k in range(1, MANY) for line in (f"    elif x == {k}:", f"        y = x + {k}")]
    body = written(tmp_path, "def body(x):", "    if x == 0:", "        y = x + 500", *choices, "    else:", "        y = x", "    return y")
    assert run(lambda: body(numbers())) == [[500, 2, 4, 6, 8, 10]]


def test_many_returns(tmp_path: pathlib.Path) -> None:
    choices = [line for k in range(MANY) for line in (f"    if x == {k}:", f"        return x + {k}")]
    body = written(tmp_path, "def body(x):", *choices, "    return x")
    assert run(lambda: body(numbers())) == [[2 * x for x in range(SIZE)]]


def test_deep_branches(tmp_path: pathlib.Path) -> None:
    depth = 40
    nested = [f"{'    ' * (k + 1)}if x > {k - 38}:" for k in range(depth)]
    body = written(tmp_path, "def body(x):", "    y = x", *nested, f"{'    ' * (depth + 1)}y = y + 100", "    return y")
    assert run(lambda: body(numbers())) == [[0, 1, 102, 103, 104, 105]]


def nested_continues(conditions: str) -> list[str]:
    """`continue`s in branches of branches, of which each copy of what follows would double the rest."""
    return [
        line for k in range(25)
        for line in (f"        if {conditions.format(k=k)}:", f"            if step == {k}:", "                continue", f"            y = y + {k}")
    ]


def test_many_nested_continues_that_ask_plain_values(tmp_path: pathlib.Path) -> None:
    body = written(
        tmp_path, "def body(x):", "    y = x", "    for step in range(25):", *nested_continues("step >= {k}"), "    return y"
    )
    assert run(lambda: body(numbers())) == [[x + sum(k for step in range(25) for k in range(step)) for x in range(SIZE)]]


def test_many_nested_continues_that_ask_nodes_are_refused(tmp_path: pathlib.Path) -> None:
    body = written(tmp_path, "def body(x):", "    y = x", "    for step in range(2):", *nested_continues("x >= {k}"), "    return y")
    with pytest.raises(SyntaxError, match="`continue` cannot leave"):
        run(lambda: body(numbers()))


def test_where_continues_lie_too_deep_nodes_may_be_asked_elsewhere(tmp_path: pathlib.Path) -> None:
    choices = [line for k in range(400) for line in (f"        if step == {k}:", f"            y = y + {k}", "            continue")]
    body = written(
        tmp_path, "def body(x):", "    y = x", "    for step in range(2):", *choices, "    if x > 2:", "        y = y + 100", "    return y"
    )
    assert run(lambda: body(numbers())) == [[1, 2, 3, 104, 105, 106]]


def test_what_is_too_deep_to_be_rewritten_runs_as_it_is(tmp_path: pathlib.Path) -> None:
    choices = [line for k in range(400) for line in (f"    elif number == {k}:", f"        y = x + {k}")]
    body = written(tmp_path, "def body(x, number, asks):", "    if asks:", "        y = x", *choices, "    return y")
    assert run(lambda: body(numbers(), 100, False)) == [[x + 100 for x in range(SIZE)]]
    with pytest.raises(TypeError, match="too many branches in each other"):
        run(lambda: body(numbers(), 100, numbers() > 2))


def refuse(what: str) -> None:
    raise ValueError(what)


@pytest.mark.parametrize("how", ["try", "finally", "with", "call", "loop"])
def test_an_error_in_a_branch_that_is_caught_leaves_the_branch(how: str) -> None:
    """What follows runs for all samples."""

    def raising(x: Any) -> Any:
        if x > 2:
            refuse("here")
        return x

    def body() -> Any:
        x = numbers()
        y = x
        if how == "try":
            try:
                if x > 2:
                    if x > 3:
                        refuse("here")
            except ValueError:
                y = fn.copy(x) + 10
        elif how == "finally":
            with contextlib.suppress(ValueError):
                try:
                    if x > 2:
                        refuse("here")
                finally:
                    y = fn.copy(x) + 10
        elif how == "with":
            with contextlib.suppress(ValueError):
                if x > 2:
                    refuse("here")
        elif how == "call":
            with contextlib.suppress(ValueError):
                raising(x)
        else:
            for _ in range(2):
                try:
                    if x > 2:
                        refuse("here")
                except ValueError:
                    continue
        return fn.copy(y) + 1

    more = 11 if how in ("try", "finally") else 1
    assert run(body) == [[x + more for x in range(SIZE)]]


def test_a_loop_of_its_own_within_a_branch_may_be_left() -> None:
    def body() -> Any:
        x = numbers()
        if x > 2:
            for step in range(5):
                if step == 2:
                    break
                x = x + 1
            while True:
                break
            else:
                x = x + 500
        return x

    assert run(body) == [[0, 1, 2, 5, 6, 7]]


def test_a_branch_within_a_generator() -> None:
    def values(x: Any) -> Any:
        for step in range(2):
            y = x
            if x > 2 + step:
                y = x + 10
            yield y

    def body() -> Any:
        x = numbers()
        results = []
        for value in values(x):
            if value > 12:
                value = value + 100
            results.append(value)
        return tuple(results)

    assert run(body) == [[0, 1, 2, 113, 114, 115], [0, 1, 2, 3, 114, 115]]


def test_a_nested_function_keeps_its_text_and_its_globals() -> None:
    def body() -> Any:
        def inner(x: Any) -> Any:
            """Ten more for some."""
            if x > 2:
                return x + 10
            return x

        assert inner.__doc__ == "Ten more for some."
        return inner(numbers())

    assert run(body) == [[0, 1, 2, 13, 14, 15]]


@pytest.mark.parametrize("inside", ["async for x in y:", "try:", "with y:", "match y:\n    case _:"])
def test_a_return_in_a_block_of_its_own_stays_one(inside: str) -> None:
    """It would else become an assignment, behind which the block goes on."""
    ends = "except* ValueError:\n            pass" if inside == "try:" else ""
    block = inside.replace("\n", "\n        ")
    deeper = "    " * (2 + block.count("\n"))
    text = f"async def f(y):\n    if y:\n        {block}\n    {deeper}return 1\n        {ends}\n    return 2\n"
    (definition,) = ast.parse(text).body
    assert isinstance(definition, ast.AsyncFunctionDef)
    rewritten = ast.Module(single_exit.body_of_function(definition.body), [])
    returns = [node.value.value for node in ast.walk(rewritten) if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant)]
    assert 1 in returns
