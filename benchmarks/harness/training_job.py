"""What the contenders of `job/` share: two epochs of a job whose accelerator is a timed wait.

A step waits for `step_s`, whoever feeds it, so the shares of time in which the accelerator is idle can be compared; a
wait that ends late counts as busy. The data lies behind a wire (far_store.py), whose count of bytes a contender reads
from a file.
"""

import json
import os
import pathlib
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import processor_time
import wire_file

EPOCHS = 2
BATCH_SIZE = 32
SIZE = 224
MEAN = (0.485 * 255, 0.456 * 255, 0.406 * 255)
STD = (0.229 * 255, 0.224 * 255, 0.225 * 255)


def task() -> dict[str, Any]:
    """The task; the process' environment is that of its row."""
    found: dict[str, Any] = json.loads(sys.argv[1])
    os.environ.update(found["row"]["environment"])
    return found


def run(found: dict[str, Any], prepare: Callable[[], Callable[[], Iterable[Any]]], versions: dict[str, str]) -> None:
    """`prepare()` does all that a job does before its first epoch, and returns what gives the batches of one."""
    row = found["row"]
    if found["check"]:
        pathlib.Path(found["result"]).write_text(json.dumps({"versions": versions}))
        return
    result: dict[str, Any] = {"versions": versions}
    whole_before, objects_before = wire_file.passed_bytes(row["counter"])
    begin = time.perf_counter()
    epoch = prepare()
    for number in range(1, EPOCHS + 1):
        begun = time.perf_counter()
        steps = 0
        busy_s = 0.0
        for _ in epoch():
            step_begun = time.perf_counter()
            if number == 1 and steps == 0:
                result["first_step_s"] = step_begun - begin
            time.sleep(row["step_s"])
            busy_s += time.perf_counter() - step_begun
            steps += 1
        seconds = time.perf_counter() - begun
        result[f"idle_{number}"] = 100 * (1 - busy_s / seconds)
        result[f"images_per_second_{number}"] = steps * BATCH_SIZE / seconds
    result["job_s"] = time.perf_counter() - begin
    result["cpu_s"] = processor_time.seconds_of_tree(os.getpid())
    whole, objects = wire_file.passed_bytes(row["counter"])
    result["wire_share"] = (whole - whole_before) / row["bytes"]
    result["object_share"] = (objects - objects_before) / row["bytes"]
    pathlib.Path(found["result"]).write_text(json.dumps(result))
