"""Prefixes of blocks and parameters: ``dense0_``, and within a block's ``name_scope()`` ``net0_dense0_``.

Every name scope counts the blocks made in it, kind by kind; outside of all scopes the thread does.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .block import Block


class _Current(threading.local):
    """The name scope of each thread."""

    def __init__(self) -> None:
        self.scope: NameScope | None = None
        self.counts: dict[str, int] = {}


_current = _Current()


def next_prefix(kind: str, counts: dict[str, int]) -> str:
    number = counts.get(kind, 0)
    counts[kind] = number + 1
    return f"{kind}{number}_"


def own_prefix(kind: str, wanted: str | None) -> str:
    """What a block made here adds to the prefix of the block whose scope this is."""
    if wanted is not None:
        return wanted
    return next_prefix(kind, _current.counts if _current.scope is None else _current.scope.counts)


def enclosing_block() -> Block | None:
    """The block whose name scope the thread is in."""
    return None if _current.scope is None else _current.scope.block


class NameScope:
    """The names of the blocks made within ``with block.name_scope():`` begin with the block's own. Blocks made
    with an empty prefix change nothing."""

    def __init__(self, block: Block, is_transparent: bool) -> None:
        self.block = block
        self.counts: dict[str, int] = {}
        self._is_transparent = is_transparent
        self._outer: list[NameScope | None] = []

    def __enter__(self) -> NameScope:
        self._outer.append(_current.scope)
        if not self._is_transparent:
            _current.scope = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.scope = self._outer.pop()
