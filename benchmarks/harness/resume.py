"""Measures how a pipeline goes on from a state."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import contender
import numpy

BATCH_SIZE = 16
REPEATS = 7


def seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def measure(make: Callable[[list[str], dict[str, Any], Any], Any], save: Callable[[Any], Any],
            size_of: Callable[[Any], int], versions: Callable[[], dict[str, str]]) -> None:
    """`make(files, row, state)` gives a built pipeline that gives batches of labels last; `save(pipe)` its state."""
    task = contender.read_task()
    files = contender.list_files(task["data"])
    row = task["row"]
    pipe = make(files, row, None)
    for _ in range(max(1, int(row["epochs"] * len(files)) // BATCH_SIZE)):
        pipe.run()
    state = save(pipe)
    following = numpy.asarray(pipe.run()[-1].as_array())
    gone_on = make(files, row, state)
    if not numpy.array_equal(gone_on.run()[-1].as_array(), following):
        raise RuntimeError("the batch after the state is not the one that followed it")
    anew = statistics.median(seconds(lambda: make(files, row, None)) for _ in range(REPEATS))
    resumed = statistics.median(seconds(lambda: make(files, row, state)) for _ in range(REPEATS))
    contender.deliver(task, {"versions": versions(), "state_bytes": size_of(state),
                             "resume_ms": max(0.0, 1000 * (resumed - anew))})
