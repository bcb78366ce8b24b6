"""The file by which the processes of a benchmark know what a wire (remote_store.py) does, and tell it to be away.

Numbers of 64 bits: what was passed on (`Passed`), until when (nanoseconds of the monotonic clock) nothing is, and how
many connections there are.
"""

from __future__ import annotations

import pathlib
import struct
import time
from typing import NamedTuple

PASSED = struct.Struct("<4q")
AWAY_UNTIL = struct.Struct("<q")
AWAY_UNTIL_AT = PASSED.size
CONNECTIONS = struct.Struct("<q")
CONNECTIONS_AT = AWAY_UNTIL_AT + AWAY_UNTIL.size
SIZE = CONNECTIONS_AT + CONNECTIONS.size
LOOK_S = 0.01
QUIET_WITHIN_S = 30.0


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


def wait_until_unused(path: str) -> None:
    """Until what an earlier process had asked for, and did not wait for, has passed."""
    until = time.monotonic() + QUIET_WITHIN_S
    while CONNECTIONS.unpack_from(pathlib.Path(path).read_bytes(), CONNECTIONS_AT)[0] > 0:
        if time.monotonic() > until:
            raise TimeoutError(f"somebody else reads through the wire for more than {QUIET_WITHIN_S:g} s")
        time.sleep(LOOK_S)


def go_away(path: str, seconds: float) -> None:
    """From now on, for so long, connections are cut and none is accepted."""
    until = AWAY_UNTIL.pack(time.monotonic_ns() + int(seconds * 1e9))
    with open(path, "r+b") as file:
        file.seek(AWAY_UNTIL_AT)
        file.write(until)
