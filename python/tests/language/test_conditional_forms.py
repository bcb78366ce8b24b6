"""What of Python can be written around conditionals on DataNodes: variables that nobody uses, chains, loops, walruses."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from test_conditionals import SIZE, numbers, run

from forebay import fn


class Thing:
    pass


DIFFERENT: dict[str, tuple[Any, Any]] = {
    "texts": ("a", "b"), "None and a number": (None, 3), "functions": (fn.cast, fn.copy), "objects": (Thing(), Thing()),
    "lists of other lengths": ([1, 2], [1, 2, 3]), "a tuple and a list": ((1, 2), [1, 2]),
    "other keys": ({"a": 1}, {"b": 1}), "arrays of text": (np.array("a"), np.array("b")), "classes": (int, float),
}


@pytest.mark.parametrize("values", DIFFERENT.values(), ids=DIFFERENT)
@pytest.mark.parametrize("use", [None, lambda y: y, lambda y: y + 1, lambda y: fn.copy(y), lambda y: y[0]])
def test_what_cannot_be_merged_is_an_error_where_it_is_used(
    values: tuple[Any, Any], use: Callable[[Any], Any] | None
) -> None:
    def body() -> Any:
        x = numbers()
        if x < 3:
            y = values[0]
            z = x * 10
        else:
            y = values[1]
            z = x
        return z if use is None else (z, use(y))

    if use is None:
        assert run(body) == [[0, 10, 20, 3, 4, 5]]
        return
    for kind in (TypeError, ValueError, RuntimeError):
        with pytest.raises(kind, match="give y values that cannot be merged"):
            run(body)


def test_what_cannot_be_merged_stays_so() -> None:
    def body() -> Any:
        x = numbers()
        if x < 3:
            y = "a"
        else:
            y = "b"
        if x < 2:
            x = x + 10
        z = [y, x]
        if x > 4:
            z = [y, x + 1]
        return z[1], z[0]

    with pytest.raises(TypeError, match="give y values"):
        run(body)


def test_chains_of_comparisons() -> None:
    seen = []

    def once(x: Any) -> Any:
        seen.append(x)
        return x

    def body() -> Any:
        x = numbers()
        low, high = 0, 0
        if 1 < once(x) <= 3:
            low = x
        if not 0 <= x < 2 < once(x) + 1:
            high = x
        return low, high, 1 < 2 < 3, x == x != 7 > 3

    low, high, plain, last = run(body)
    assert low == [0, 0, 2, 3, 0, 0]
    assert high == [0, 1, 2, 3, 4, 5]
    assert plain == [1] * SIZE and last == [1] * SIZE
    assert len(seen) == 2


def test_chains_of_plain_values_are_as_ever() -> None:
    def body() -> Any:
        x = numbers()
        calls = []

        def note(value: Any) -> Any:
            calls.append(value)
            return value

        assert not note(3) < note(2) < note(9)
        assert calls == [3, 2]
        assert 1 in (1, 2) in [(1, 2)]
        return x

    assert run(body) == [[0, 1, 2, 3, 4, 5]]


def test_a_walrus_binds_in_its_function() -> None:
    def body() -> Any:
        x = numbers()
        if (y := 3) and (z := 4) and 1 < (w := 5) < 9:
            x = x + y + z + w
        return x

    assert run(body) == [[12, 13, 14, 15, 16, 17]]


def test_continue_in_a_branch() -> None:
    def body() -> Any:
        x = numbers()
        y = x
        for step in range(4):
            if step == 1:
                continue
            if x < step:
                y = y + 100
                continue
            elif x == 5:
                if step == 3:
                    continue
                y = y + 1000
            y = y + 1
        else:
            y = y + 0
        return y

    def expected(x: int) -> int:
        y = x
        for step in (0, 2, 3):
            if x < step:
                y += 100
                continue
            if x == 5:
                if step == 3:
                    continue
                y += 1000
            y += 1
        return y

    assert run(body) == [[expected(x) for x in range(SIZE)]]


def test_continue_in_a_while() -> None:
    def body() -> Any:
        x = numbers()
        left = 3
        while left > 0:
            left -= 1
            if x > 3:
                continue
            x = x + 1
        return x

    assert run(body) == [[3, 4, 4, 4, 4, 5]]


def _breaks() -> Any:
    x = numbers()
    for _ in range(3):
        if x > 2:
            break
    return x


def _returns() -> Any:
    x = numbers()
    for _ in range(3):
        if x > 2:
            return x
    return x


@pytest.mark.parametrize("body", [_breaks, _returns])
@pytest.mark.parametrize("kind", [SyntaxError, TypeError, RuntimeError])
def test_leaving_a_loop_is_refused(body: Callable[[], Any], kind: type[Exception]) -> None:
    with pytest.raises(kind, match="inside a loop"):
        run(body)


def _with_dead_code() -> Any:
    x = numbers()
    for step in range(3):
        if step == 1:
            x = x + 1
            continue
            x = x + 100  # type: ignore[unreachable, unused-ignore]
        x = x + 10
    for _ in range(2):
        x = x + 1
        continue
        x = x + 1000  # type: ignore[unreachable, unused-ignore]
    return x


def test_what_is_behind_a_continue_is_not_reached() -> None:
    assert run(_with_dead_code) == [[23, 24, 25, 26, 27, 28]]


def test_a_return_in_a_try_leaves_a_plain_function() -> None:
    def pick(x: int) -> Any:
        if x == 0:
            return "zero"
        try:
            return 10 // (x - 5)
        except ZeroDivisionError:
            pass
        return "default"

    def body() -> Any:
        assert [pick(0), pick(1), pick(5)] == ["zero", -3, "default"]
        return numbers()

    assert run(body) == [[0, 1, 2, 3, 4, 5]]


def test_comparing_what_cannot_be_merged_is_a_use() -> None:
    def body() -> Any:
        x = numbers()
        if x < 3:
            kind = "nearest"
        else:
            kind = "linear"
        return x if kind == "linear" else x + 1

    with pytest.raises(TypeError, match="cannot be merged"):
        run(body)
