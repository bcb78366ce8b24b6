"""What the contenders of `remote/` share: a list of objects that are all read once, by a process that is new."""

import json
import os
import pathlib
import resource
import sys
import time
from collections.abc import Callable
from typing import Any


def task() -> dict[str, Any]:
    """The task; the process' environment is that of its row."""
    found: dict[str, Any] = json.loads(sys.argv[1])
    os.environ.update(found["row"]["environment"])
    return found


def measure(found: dict[str, Any], fetch: Callable[[list[str]], int], versions: dict[str, str]) -> None:
    """`fetch(keys)` reads the objects whole and returns how many bytes they had. Connecting counts, importing does
    not."""
    row = found["row"]
    if found["check"]:
        pathlib.Path(found["result"]).write_text(json.dumps({"versions": versions}))
        return
    before = resource.getrusage(resource.RUSAGE_SELF)
    begin = time.perf_counter()
    received = fetch(row["keys"])
    seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_SELF)
    if received != row["bytes"]:
        sys.exit(f"{received} of {row['bytes']} bytes")
    result = {
        "mb_per_second": received / seconds / 1e6,
        "objects_per_second": len(row["keys"]) / seconds,
        "own_cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "versions": versions,
    }
    pathlib.Path(found["result"]).write_text(json.dumps(result))
