"""Random choices of samplers and transforms: Philox, fixed by the seed of `forebay.nd.random` and by how much was drawn
before. A loader draws one key a batch, so its batches do not depend on how many workers make them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..._core import next_random_key, random_order, uniform_numbers


class _Stream(threading.local):
    """What each thread draws from: the key of the batch it is making, if any."""

    key: int | None = None
    position = 0


_stream = _Stream()


def new_key() -> int:
    """A key for a stretch of draws."""
    return next_random_key()


@contextmanager
def drawing_by(key: int) -> Iterator[None]:
    """Draws of this thread within the ``with`` depend on the key alone."""
    before = (_stream.key, _stream.position)
    _stream.key, _stream.position = key, 0
    try:
        yield
    finally:
        _stream.key, _stream.position = before


def uniform(count: int) -> list[float]:
    """Numbers in [0, 1)."""
    if _stream.key is None:
        return uniform_numbers(next_random_key(), 0, count)
    _stream.position += 1
    return uniform_numbers(_stream.key, _stream.position, count)


def order(size: int) -> list[int]:
    """The numbers below ``size`` in random order."""
    return random_order(next_random_key(), size)
