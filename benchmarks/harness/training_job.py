"""What the contenders of `job/` share: two epochs of a job whose accelerator is a timed wait.

A step waits for `step_s`, whoever feeds it, so the shares of time in which the accelerator is idle can be compared; a
wait that ends late counts as busy. The data lies behind a wire (remote_store.py), whose counts a contender reads from a
file. A row that names a folder `timelines` gets there, by contender, when each step began and ended.
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

Span = tuple[float, float]  # seconds since the job began


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
    wire_file.wait_until_unused(row["counter"])
    before = wire_file.passed(row["counter"])
    begin = time.perf_counter()
    epoch = prepare()
    epochs: list[dict[str, Any]] = []
    for number in range(1, EPOCHS + 1):
        begun = time.perf_counter() - begin
        passed_before = wire_file.passed(row["counter"])
        steps = steps_of(epoch(), row["step_s"], begin)
        seconds = time.perf_counter() - begin - begun
        epochs.append({"begin_s": begun, "steps": steps})
        result[f"idle_{number}"] = 100 * (1 - sum(end - start for start, end in steps) / seconds)
        result[f"images_per_second_{number}"] = len(steps) * BATCH_SIZE / seconds
        result[f"bodies_{number}"] = wire_file.passed(row["counter"]).since(passed_before).object_requests
    result["first_step_s"] = epochs[0]["steps"][0][0]
    result["job_s"] = time.perf_counter() - begin
    result["cpu_s"] = processor_time.seconds_of_tree(os.getpid())
    passed = wire_file.passed(row["counter"]).since(before)
    result["requests"] = passed.requests
    result["upstream_mb"] = passed.bytes / 1e6
    result["wire_share"] = passed.bytes / row["bytes"]
    result["object_share"] = passed.object_bytes / row["bytes"]
    pathlib.Path(found["result"]).write_text(json.dumps(result))
    if "timelines" in row:
        place = pathlib.Path(row["timelines"], f"{pathlib.Path(sys.argv[0]).stem}.json")
        place.write_text(json.dumps({"epochs": epochs, "end_s": result["job_s"]}))


def steps_of(batches: Iterable[Any], step_s: float, begin: float) -> list[Span]:
    """Trains on the batches of an epoch: when each step began and ended."""
    steps = []
    for _ in batches:
        step_begun = time.perf_counter()
        time.sleep(step_s)
        steps.append((step_begun - begin, time.perf_counter() - begin))
    return steps
