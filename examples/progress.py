"""A progress bar on standard error; silent where that is no terminal."""

import sys
import time

WIDTH = 30
EVERY_S = 0.1


class Progress:
    """Wraps an iterable of known length: `for item in Progress(items, "name")`; `note` is shown behind the bar."""

    def __init__(self, items, name, total=None):
        self.items = items
        self.name = name
        self.total = total if total is not None else len(items)
        self.note = ""
        self._drawn = 0.0

    def __iter__(self):
        for done, item in enumerate(self.items):
            self._draw(done)
            yield item
        self._draw(self.total, last=True)

    def _draw(self, done, last=False):
        now = time.monotonic()
        if not sys.stderr.isatty() or (now - self._drawn < EVERY_S and not last):
            return
        self._drawn = now
        share = min(1.0, done / max(1, self.total))
        bar = "#" * round(WIDTH * share)
        end = "\n" if last else ""
        print(f"\r{self.name} [{bar:<{WIDTH}}] {done}/{self.total} {self.note}\033[K", end=end, file=sys.stderr, flush=True)
