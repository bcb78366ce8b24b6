"""The file by which the processes of a benchmark know what a wire (far_store.py) does, and tell it to be away.

Three numbers of 64 bits: the bytes that were passed on, those of them that are of objects, and until when (nanoseconds
of the monotonic clock) nothing is passed on.
"""

import pathlib
import struct
import time

PASSED = struct.Struct("<2q")
AWAY_UNTIL = struct.Struct("<q")
AWAY_UNTIL_AT = PASSED.size
SIZE = PASSED.size + AWAY_UNTIL.size


def passed_bytes(path: str) -> tuple[int, int]:
    """All bytes, and those of them that are of objects."""
    whole, objects = PASSED.unpack_from(pathlib.Path(path).read_bytes())
    return int(whole), int(objects)


def go_away(path: str, seconds: float) -> None:
    """From now on, for so long, connections are cut and none is accepted."""
    until = AWAY_UNTIL.pack(time.monotonic_ns() + int(seconds * 1e9))
    with open(path, "r+b") as file:
        file.seek(AWAY_UNTIL_AT)
        file.write(until)
