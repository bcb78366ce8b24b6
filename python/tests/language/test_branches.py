"""What else branches set: attributes, items, global variables; lambdas, partials, nodes from outside."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from forebay import fn, pipeline_def

SIZE = 6


def numbers() -> Any:
    return fn.external_source(lambda: [np.int32(k) for k in range(SIZE)])


def run(function: Any, *arguments: Any) -> list[list[Any]]:
    pipe = pipeline_def(batch_size=SIZE, num_threads=2, enable_conditionals=True)(function)(*arguments)
    return [output.as_array().tolist() for output in pipe.run()]


class Holder:
    value: Any

    def __init__(self, start: Any) -> None:
        self.value = start
        self.__hidden = start

    def twice_where(self, condition: Any) -> Any:
        if condition:
            self.__hidden = self.__hidden * 2
        return self.__hidden


def test_attributes_and_items_set_in_branches() -> None:
    def body() -> Any:
        x = numbers()
        holder = Holder(x)
        table = {"a": x, "deep": [x, x]}
        if x > 2:
            holder.value = holder.value + 10
            table["deep"][-1] = x * 100
            if x > 4:
                table["a"] = x * 1000
        else:
            holder.value = -holder.value
        return holder.value, table["a"], *table["deep"], Holder(x).twice_where(x == 3)

    assert run(body) == [
        [0, -1, -2, 13, 14, 15], [0, 1, 2, 3, 4, 5000], [0, 1, 2, 3, 4, 5], [0, 1, 2, 300, 400, 500], [0, 1, 2, 6, 4, 5]
    ]


def test_an_attribute_set_in_one_branch_only_is_named_when_it_is_used() -> None:
    def body(use: bool) -> Any:
        x = numbers()
        holder = Holder(x)
        if x > 2:
            holder.other = x
        return holder.other + 1 if use else x

    assert run(body, False) == [[0, 1, 2, 3, 4, 5]]
    with pytest.raises(NameError, match="'holder.other' is not set in every branch"):
        run(body, True)
    with pytest.raises(RuntimeError, match="'holder.other' is not set in every branch"):
        run(body, True)


def test_what_belongs_to_one_branch_stays_there() -> None:
    def body() -> Any:
        x = numbers()
        if x > 2:
            inside = {}
            inside["k"] = x + 1
            y = inside["k"]
        else:
            y = x
        return y

    assert run(body) == [[0, 1, 2, 4, 5, 6]]


def test_items_whose_place_differs_are_refused() -> None:
    def moved() -> Any:
        x, place = numbers(), 0
        values = [x, x]
        if x > 2:
            values[place] = x + 1
            place = 1
        return values[0]

    def called() -> Any:
        x = numbers()
        if x > 2:
            [x, x].copy()[0] = x + 1
        return x

    def deleted() -> Any:
        x = numbers()
        values = {"a": x}
        if x > 2:
            del values["a"]
        return x

    for body, said in ((moved, r"sets values\[place\]"), (called, "sets .*copy"), (deleted, "sets values")):
        with pytest.raises(TypeError, match=said):
            run(body)


CHOSEN: Any = None


def test_global_variables_set_in_branches() -> None:
    def body() -> Any:
        global CHOSEN
        x = numbers()
        CHOSEN = x
        if x > 2:
            CHOSEN = x * 2
        return CHOSEN

    assert run(body) == [[0, 1, 2, 6, 8, 10]]


def double_large(x: Any) -> Any:
    return x * 2 if x > 2 else x


class Doubling:
    def __call__(self, x: Any) -> Any:
        return double_large(x)


def test_lambdas_partials_and_objects_branch_too() -> None:
    first, second = (lambda x: x + 1 if x > 2 else x), (lambda x: x - 1 if x > 2 else -x)
    outer = 100

    def body() -> Any:
        x = numbers()
        inner = lambda y: y + outer if y > 4 else y  # noqa: E731
        partial = functools.partial(lambda a, b: a if b > 3 else b, 7)
        return first(x), second(x), inner(x), partial(x), Doubling()(x)

    assert run(body) == [
        [0, 1, 2, 4, 5, 6], [0, -1, -2, 2, 3, 4], [0, 1, 2, 3, 4, 105], [0, 1, 2, 3, 7, 7], [0, 1, 2, 6, 8, 10]
    ]


def test_a_condition_from_outside_of_the_pipeline() -> None:
    condition = fn.external_source(lambda info: np.array(info.idx_in_batch > 2), batch=False)

    def body() -> Any:
        x = numbers()
        if condition:
            x = x + 10
        return x

    assert run(body) == [[0, 1, 2, 13, 14, 15]]


def test_conditionals_asked_for_at_the_call() -> None:
    @pipeline_def(batch_size=6, num_threads=1)
    def make() -> Any:
        x = numbers()
        if x > 2:
            x = x + 10
        return x

    assert make(enable_conditionals=True).run()[0].as_array().tolist() == [0, 1, 2, 13, 14, 15]
    with pytest.raises(TypeError, match="enable_conditionals"):
        make()
