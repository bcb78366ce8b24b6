"""Seeds of the draws that one seed of the user's is for."""

from __future__ import annotations

import zlib

__all__ = ["seed_of"]


def seed_of(draw: str, seed: int | None) -> int | None:
    """The seed of the draw of that name. Operators with one seed draw the same numbers, so that without this an
    operation would always come with the same sign."""
    if seed is None or seed < 0:
        return None
    return zlib.crc32(f"{draw} {seed}".encode()) & 0x7FFFFFFF
