"""Generators of random numbers."""

from __future__ import annotations

import operator
import secrets
import threading
from typing import Any

from .. import _core
from ..errors import InvalidError

__all__ = ["RNG", "get_default_rng", "set_seed"]

_MASK = 0xFFFFFFFFFFFFFFFF


class RNG:
    """A generator: a seed, and a count of what was drawn.

    Each call of an operator takes one draw, whatever the number of samples and numbers it needs: they are Philox
    numbers of (seed, draw, operator, place in the batch). So a sample's numbers depend neither on threads nor on the
    size of the batch; and the first call draws what a pipeline with that seed draws.

    :param seed: 64 bits of it count; a random one without it.
    :param state: what another generator's :attr:`state` was; instead of a seed.
    """

    def __init__(self, seed: int | None = None, state: Any = None) -> None:
        self._lock = threading.Lock()
        if seed is not None and state is not None:
            raise InvalidError("Cannot specify both `seed` and `state`")
        self._seed = 0
        self._draws = 0
        if state is not None:
            self.set_state(state)
        else:
            self.seed = secrets.randbits(64) if seed is None else seed

    def _draw(self) -> tuple[int, int]:
        """The seed, and which draw the next operator has."""
        with self._lock:
            self._draws += 1
            return self._seed, self._draws - 1

    def __call__(self) -> int:
        """One draw as an integer of 32 bits."""
        return _core.philox_word(*self._draw())

    @property
    def seed(self) -> int:
        raise AttributeError("seed is write-only")

    @seed.setter
    def seed(self, value: int) -> None:
        with self._lock:
            self._seed = operator.index(value) & _MASK
            self._draws = 0

    def advance(self, n: int) -> None:
        """Skips `n` draws."""
        count = operator.index(n)
        if count < 0:
            raise InvalidError(f"cannot go back: advance({count})")
        with self._lock:
            self._draws += count

    def clone(self) -> RNG:
        """Another generator that goes on like this one."""
        return RNG(state=self.state)

    @property
    def state(self) -> str:
        """Seed and draws as text, for another generator."""
        with self._lock:
            return f"{self._seed:016x}:{self._draws}"

    @state.setter
    def state(self, value: Any) -> None:
        self.set_state(value)

    def get_state(self, *, cuda_stream: Any = None) -> str:
        """:attr:`state`. `cuda_stream` makes no difference."""
        return self.state

    def set_state(self, value: Any) -> None:
        """Goes on where that state was taken."""
        seed, colon, draws = str(value).partition(":")
        try:
            taken = (int(seed, 16), int(draws))
        except ValueError:
            raise InvalidError(f"{value!r} is not the state of an RNG") from None
        if len(seed) != 16 or taken[1] < 0:
            raise InvalidError(f"{value!r} is not the state of an RNG")
        with self._lock:
            self._seed, self._draws = taken

    def __repr__(self) -> str:
        return f"RNG(state='{self.state}')"


class _Local(threading.local):
    def __init__(self) -> None:
        self.rng = RNG()


_local = _Local()


def get_default_rng() -> RNG:
    """The generator of this thread, for operators that are given none."""
    return _local.rng


def set_seed(seed: int) -> None:
    """Sets the seed of this thread's generator."""
    _local.rng.seed = seed


def checked_rng(rng: Any) -> RNG:
    """`rng`, or that of the thread for None; ValueError for anything else."""
    if rng is None:
        return _local.rng
    if not isinstance(rng, RNG):
        raise InvalidError(f"rng must be an instance of ndd.random.RNG, but got {type(rng).__qualname__}")
    return rng
