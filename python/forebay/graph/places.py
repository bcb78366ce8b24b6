"""Attributes, items and global variables that a branch sets: where they are, and what is there."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, MutableMapping


class Absent:
    """Nothing was there."""


class Place:
    """One attribute, item or global variable. Its owner and index are looked up each time."""

    def __init__(self, name: str, get: Callable[[], Any], put: Callable[[Any], None], drop: Callable[[], None]) -> None:
        self.name = name
        self._get = get
        self._put = put
        self._drop = drop

    def get(self) -> Any:
        """What is there; `Absent` where nothing is."""
        try:
            return self._get()
        except (AttributeError, LookupError, NameError):
            return Absent

    def put(self, value: Any) -> None:
        """Puts `value` there, or takes away what is there for `Absent`."""
        if value is not Absent:
            self._put(value)
            return
        with contextlib.suppress(AttributeError, LookupError, NameError, TypeError):
            self._drop()


    def mark(self, undefined: Any, is_absent: bool) -> None:
        """Puts a mark there that only one branch has set it; none where neither has (`is_absent`), and where what it
        would belong to exists in one branch only."""
        if is_absent:
            return
        with contextlib.suppress(AttributeError, LookupError, NameError, TypeError):
            self._put(undefined)


def attribute(name: str, owner: Callable[[], Any], attribute: str) -> Place:
    return Place(
        name,
        lambda: getattr(owner(), attribute),
        lambda value: setattr(owner(), attribute, value),
        lambda: delattr(owner(), attribute),
    )


def item(name: str, owner: Callable[[], Any], index: Callable[[], Any]) -> Place:
    def put(value: Any) -> None:
        owner()[index()] = value

    def drop() -> None:
        del owner()[index()]

    return Place(name, lambda: owner()[index()], put, drop)


def global_variable(name: str, variables: MutableMapping[str, Any]) -> Place:
    def put(value: Any) -> None:
        variables[name] = value

    def drop() -> None:
        del variables[name]

    return Place(name, lambda: variables[name], put, drop)
