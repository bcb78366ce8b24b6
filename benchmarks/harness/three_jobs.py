"""What the contenders of `outage/` share: three jobs after each other, three epochs each, that count their samples.

In the middle of the first epoch the remote store goes away for a while. Each sample has a number, so one that is lost or
comes twice within an epoch is seen.
"""

import collections
import json
import multiprocessing
import os
import pathlib
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import processor_time
import wire_file

JOBS = 3
EPOCHS = 3
BATCH_SIZE = 32

Row = dict[str, Any]
# (row, rank) to the numbers of the samples of a batch, batch by batch, for all epochs or longer.
Stream = Callable[[Row, int], Iterable[list[int]]]


def run(found: dict[str, Any], streams: dict[str, Stream], versions: dict[str, str]) -> None:
    """`streams`: what this contender offers, by kind of job."""
    row = found["row"]
    if found["check"] or row["kind"] not in streams:
        return _deliver(found, {"versions": versions, "offered": False})
    before = wire_file.passed(row["counter"])
    begun = time.perf_counter()
    result: dict[str, Any] = {"failed_jobs": 0, "lost_samples": 0, "repeated_samples": 0}
    for job in range(JOBS):
        told = _run_job(streams[row["kind"]], row, job)
        if told is None:
            result["failed_jobs"] += 1
            continue
        lost, repeated = _faults(told, row["samples"])
        result["lost_samples"] += lost
        result["repeated_samples"] += repeated
        if job == 0:
            result["first_step_s"], result["second_step_s"] = told[0]["steps_s"]
    result["job_s"] = time.perf_counter() - begun
    result["cpu_s"] = processor_time.seconds_of_tree(os.getpid())
    passed = wire_file.passed(row["counter"]).since(before)
    result["object_share"] = passed.object_bytes / row["bytes"]
    return _deliver(found, {"versions": versions, **result})


def _deliver(found: dict[str, Any], result: dict[str, Any]) -> None:
    pathlib.Path(found["result"]).write_text(json.dumps(result))


def _run_job(stream: Stream, row: Row, job: int) -> list[dict[str, Any]] | None:
    """What the job's processes tell, or nothing if one of them failed."""
    spawning = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        places = [f"{folder}/{rank}" for rank in range(row["processes"])]
        ranks = [spawning.Process(target=_work, args=(stream, row, job, rank, place))
                 for rank, place in enumerate(places)]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()
        if any(process.exitcode for process in ranks):
            return None
        return [json.loads(pathlib.Path(place).read_text()) for place in places]


def _work(stream: Stream, row: Row, job: int, rank: int, place: str) -> None:
    """One process of a job. Connecting and listing count, importing does not."""
    mine = row["samples"] // row["processes"]
    outage_due = job == rank == 0
    steps_s: list[float] = []
    numbers: list[int] = []
    if row["kind"] == "workers":
        import counted_objects  # noqa: F401  PyTorch, which ranks and tars do without
    begin = time.perf_counter()
    for batch in stream(row, rank):
        steps_s += [time.perf_counter() - begin] if len(steps_s) < 2 else []
        numbers += batch
        if outage_due and 2 * len(numbers) >= mine:
            wire_file.go_away(row["counter"], row["outage_s"])
            outage_due = False
        if len(numbers) >= EPOCHS * mine:
            break
    epochs = [numbers[epoch * mine : (epoch + 1) * mine] for epoch in range(EPOCHS)]
    pathlib.Path(place).write_text(json.dumps({"steps_s": steps_s, "epochs": epochs}))


def _faults(told: list[dict[str, Any]], samples: int) -> tuple[int, int]:
    """How many samples did not come, and how many came again, over all epochs of a job."""
    lost = repeated = 0
    for epoch in range(EPOCHS):
        seen = collections.Counter(number for rank in told for number in rank["epochs"][epoch])
        lost += samples - len(seen)
        repeated += seen.total() - len(seen)
    return lost, repeated


def again_and_again(epoch: Iterable[Any]) -> Iterator[list[int]]:
    """The batches of a loader that gives one epoch each time."""
    while True:
        for numbers in epoch:
            yield [int(number) for number in numbers]
