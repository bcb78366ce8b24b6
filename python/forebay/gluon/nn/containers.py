"""Blocks in a row, and functions as blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, cast

from ... import nd
from ..block import Block, indented
from ..hybrid_block import HybridBlock

__all__ = ["HybridLambda", "HybridSequential", "Lambda", "Sequential"]

Kind = TypeVar("Kind", bound=Block)


class _Row(Block, Generic[Kind]):
    """Children called one after the other. Several values that one gives are the arguments of the next."""

    _has_summary_row = False

    def add(self, *blocks: Kind) -> None:
        """Puts blocks at the end."""
        for block in blocks:
            self.register_child(block)

    def forward(self, x: Any, *args: Any) -> Any:
        for block in self._children.values():
            x = block(x, *args)
            args = ()
            if isinstance(x, (tuple, list)):
                args = tuple(x[1:])
                x = x[0]
        return (x, *args) if args else x

    def __repr__(self) -> str:
        lines = "\n".join(f"  ({name}): {indented(repr(child))}" for name, child in self._children.items())
        return f"{type(self).__name__}(\n{lines}\n)"

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Kind]:
        return iter(cast("list[Kind]", list(self._children.values())))

    def __getitem__(self, key: int | slice) -> Any:
        """A child, or several in a row of their own that shares their parameters."""
        found = list(self._children.values())[key]
        if not isinstance(found, list):
            return found
        part = type(self)(prefix=self.prefix)
        part.add(*cast("list[Kind]", found))
        return part


class Sequential(_Row[Block]):
    """Calls its children one after the other."""


class HybridSequential(_Row[HybridBlock], HybridBlock):
    """Calls its children, `HybridBlock`s, one after the other."""


def _named(function: str | Callable[..., Any]) -> tuple[Callable[..., Any] | None, str]:
    """The function and its name; for a string the function of `forebay.nd`, looked up now so that a wrong name says
    so."""
    if not isinstance(function, str):
        return function, getattr(function, "__name__", type(function).__name__)
    if not hasattr(nd, function):
        raise AttributeError(f"there is no function '{function}' in nd")
    return None, function


class Lambda(Block):
    """A function, or by its name one of `forebay.nd`, as a block."""

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix)
        given, self._func_name = _named(function)
        self._function: Callable[..., Any] = given or getattr(nd, self._func_name)

    def forward(self, *args: Any) -> Any:
        return self._function(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


class HybridLambda(HybridBlock):
    """A function of ``F`` and inputs, or by its name one of `forebay.nd`, as a block."""

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix)
        self._function, self._func_name = _named(function)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        if self._function is None:
            return getattr(F, self._func_name)(x, *args)
        return self._function(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"
