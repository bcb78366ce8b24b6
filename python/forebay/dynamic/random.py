"""Random numbers: generators, and the operators that draw from them, which are put here from the operator table."""

from __future__ import annotations

from .generators import RNG as RNG, get_default_rng as get_default_rng, set_seed as set_seed

__all__ = ["RNG", "get_default_rng", "set_seed"]
