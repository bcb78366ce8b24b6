"""A progress bar on standard error; silent where that is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")
WIDTH = 30
EVERY_S = 0.1


class Progress(Generic[Item]):
    """Wraps an iterable: `for item in Progress(items, "name")`, with its `total` if it has no length. `note` is shown
    behind the bar."""

    def __init__(self, items: Iterable[Item], name: str, total: int | None = None) -> None:
        self.items = items
        self.name = name
        self.total = total if total is not None else len(items)  # type: ignore[arg-type]
        self.note = ""
        self._drawn = 0.0

    def __iter__(self) -> Iterator[Item]:
        for done, item in enumerate(self.items):
            self._draw(done)
            yield item
        self._draw(self.total, last=True)

    def _draw(self, done: int, last: bool = False) -> None:
        now = time.monotonic()
        if not sys.stderr.isatty() or (now - self._drawn < EVERY_S and not last):
            return
        self._drawn = now
        share = min(1.0, done / max(1, self.total))
        bar = "#" * round(WIDTH * share)
        end = "\n" if last else ""
        print(f"\r{self.name} [{bar:<{WIDTH}}] {done}/{self.total} {self.note}\033[K", end=end, file=sys.stderr, flush=True)
