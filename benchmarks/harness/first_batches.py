"""What the contenders of `first_batch/` share: one epoch of tar shards, and when its batches come."""

import json
import os
import pathlib
import time
from collections.abc import Callable, Iterable
from typing import Any

import processor_time
import wire_file

BATCH_SIZE = 32


def run(found: dict[str, Any], batches: Callable[[], Iterable[Any]], versions: dict[str, str]) -> None:
    """`batches()` begins the epoch; connecting counts, importing does not."""
    row = found["row"]
    result: dict[str, Any] = {"versions": versions}
    if not found["check"]:
        before = wire_file.passed(row["counter"])
        begin = time.perf_counter()
        marks = [time.perf_counter() - begin for _, _ in zip(range(row["samples"] // BATCH_SIZE), batches())]
        result.update(first_step_s=marks[0], second_step_s=marks[1], job_s=marks[-1],
                      cpu_s=processor_time.seconds_of_tree(os.getpid()))
        passed = wire_file.passed(row["counter"]).since(before)
        result["object_share"] = passed.object_bytes / row["bytes"]
    pathlib.Path(found["result"]).write_text(json.dumps(result))


def skip(found: dict[str, Any], versions: dict[str, str]) -> None:
    """Of a row that this contender does not offer."""
    pathlib.Path(found["result"]).write_text(json.dumps({"versions": versions, "offered": False}))
