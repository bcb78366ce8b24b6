"""The file by which the processes of a benchmark know what a wire (far_store.py) does, and tell it to be away.

Numbers of 64 bits: what was passed on (`Passed`), and until when (nanoseconds of the monotonic clock) nothing is.
"""

from __future__ import annotations

import pathlib
import struct
import time
from typing import NamedTuple

PASSED = struct.Struct("<4q")
AWAY_UNTIL = struct.Struct("<q")
AWAY_UNTIL_AT = PASSED.size
SIZE = PASSED.size + AWAY_UNTIL.size


class Passed(NamedTuple):
    """Counts since the wire was made."""

    bytes: int
    object_bytes: int  # of them: the bodies of objects
    requests: int
    object_requests: int  # of them: for bodies of objects

    def since(self, before: Passed) -> Passed:
        return Passed(*(now - then for now, then in zip(self, before, strict=True)))


def passed(path: str) -> Passed:
    return Passed(*PASSED.unpack_from(pathlib.Path(path).read_bytes()))


def go_away(path: str, seconds: float) -> None:
    """From now on, for so long, connections are cut and none is accepted."""
    until = AWAY_UNTIL.pack(time.monotonic_ns() + int(seconds * 1e9))
    with open(path, "r+b") as file:
        file.seek(AWAY_UNTIL_AT)
        file.write(until)
