"""Attributes, items and global variables that a branch sets: where they are, and what is there."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, MutableMapping


class Absent:
    """Nothing was there."""


class Place:
    """One attribute, item or global variable. Its owner and index are looked up each time.

    :param fixed: gives the same place of the owner and the index that there are now.
    """

    def __init__(
        self, name: str, get: Callable[[], Any], put: Callable[[Any], None], drop: Callable[[], None],
        fixed: Callable[[], Place] | None = None,
    ) -> None:
        self.name = name
        self._get = get
        self._put = put
        self._drop = drop
        self._fixed = fixed

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

    def fixed(self) -> Place:
        return self if self._fixed is None else self._fixed()


class Marks:
    """Values that stand where one is missing, until the pipeline is made: nobody but its definition should meet them."""

    def __init__(self) -> None:
        self._made: list[tuple[Place, Any, Any]] = []

    def put(self, place: Place, value: Any, before: Any) -> None:
        """Puts `value` there for now. Nothing happens where what it would belong to exists in one branch only."""
        with contextlib.suppress(AttributeError, LookupError, NameError, TypeError):
            fixed = place.fixed()
            fixed.put(value)
            self._made.append((fixed, value, before))

    def clear(self) -> None:
        """Puts back what was before, where the mark still is."""
        while self._made:
            place, value, before = self._made.pop()
            if place.get() is value:
                place.put(before)


def attribute(name: str, owner: Callable[[], Any], attribute_name: str) -> Place:
    def fixed() -> Place:
        found = owner()
        return attribute(name, lambda: found, attribute_name)

    return Place(
        name,
        lambda: getattr(owner(), attribute_name),
        lambda value: setattr(owner(), attribute_name, value),
        lambda: delattr(owner(), attribute_name),
        fixed,
    )


def item(name: str, owner: Callable[[], Any], index: Callable[[], Any]) -> Place:
    def put(value: Any) -> None:
        owner()[index()] = value

    def drop() -> None:
        del owner()[index()]

    def fixed() -> Place:
        found, at = owner(), index()
        return item(name, lambda: found, lambda: at)

    return Place(name, lambda: owner()[index()], put, drop, fixed)


def global_variable(name: str, variables: MutableMapping[str, Any]) -> Place:
    def put(value: Any) -> None:
        variables[name] = value

    def drop() -> None:
        del variables[name]

    return Place(name, lambda: variables[name], put, drop)
