"""Variables that not every branch sets, or that branches set to what cannot be merged: an error where one is used, however
that is written, and nothing of them on the user's objects when the pipeline is made."""

from __future__ import annotations

from typing import Any, Callable

import pytest
from test_conditionals import SIZE, numbers, run

from forebay import fn, pipeline_def


def is_none(y: Any) -> Any:
    return y is None


def is_none_in_a_chain(y: Any) -> Any:
    nothing = None
    return 1 < 2 != nothing is not y


def nothing_is(y: Any) -> Any:
    if None is not y:
        return 1
    return 2


def matches(y: Any) -> Any:
    match y:
        case None:
            return 1
        case _:
            return 2


def has_a_type(y: Any) -> Any:
    return isinstance(y, int)


def is_a_setting(y: Any) -> Any:
    return fn.random.uniform(range=y)


USES: list[Callable[[Any], Any]] = [
    is_none, is_none_in_a_chain, nothing_is, matches, has_a_type, is_a_setting, lambda y: y is None, lambda y: y or 1,
    lambda y: 1 if y is None else 2, lambda y: f"{y}", lambda y: [k for k in (1, 2) if y is k],
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("unset", [False, True])
def test_each_use_is_an_error(use: Callable[[Any], Any], unset: bool) -> None:
    def unmerged() -> Any:
        x = numbers()
        if x > 2:
            y = "a"
        else:
            y = "b"
        return use(y), x

    def set_once() -> Any:
        x = numbers()
        if x > 2:
            y = x
        return use(y), x

    with pytest.raises(RuntimeError, match="is not set in every branch" if unset else "cannot be merged"):
        run(set_once if unset else unmerged)


class Thing:
    kept: Any


def test_nothing_of_them_stays_on_objects() -> None:
    thing, table = Thing(), {"kept": "before", "deep": ["first", "second"]}
    thing.kept = "before"

    def body(fails: bool) -> Any:
        x = numbers()
        if x > 2:
            thing.kept = "a"
            thing.other = x  # type: ignore[attr-defined]
            table["kept"] = ("a", x)
            table["deep"][0] = "a"  # type: ignore[index]
            if x > 3:
                table["new"] = "a"
        else:
            thing.kept = "b"
            table["kept"] = ("b", x)
            table["deep"][0] = "b"  # type: ignore[index]
        if fails:
            raise ValueError("the definition")
        return x

    for debug in (False, True):
        pipe = pipeline_def(batch_size=SIZE, num_threads=1, enable_conditionals=True, debug=debug)(body)(False)
        pipe.run()
        assert vars(thing) == {"kept": "before"}
        assert table == {"kept": "before", "deep": ["first", "second"]}
    with pytest.raises(ValueError, match="the definition"):
        run(lambda: body(True))
    assert vars(thing) == {"kept": "before"}
    assert table == {"kept": "before", "deep": ["first", "second"]}


def test_what_was_merged_and_what_was_set_later_stay() -> None:
    thing = Thing()

    def body() -> Any:
        x = numbers()
        if x > 2:
            thing.kept = x + 10
            thing.later = "a"  # type: ignore[attr-defined]
        else:
            thing.kept = x
        thing.later = "set"  # type: ignore[attr-defined]
        return thing.kept

    assert run(body) == [[0, 1, 2, 13, 14, 15]]
    assert thing.later == "set"  # type: ignore[attr-defined]
    assert type(thing.kept).__name__ == "DataNode"


def test_within_a_definition_they_are_told_of() -> None:
    def body() -> Any:
        x = numbers()
        thing = Thing()
        if x > 2:
            thing.kept = "a"
        else:
            thing.kept = "b"
        return x if thing.kept is None else x + 1

    with pytest.raises(TypeError, match="'?thing.kept'? values that cannot be merged"):
        run(body)
