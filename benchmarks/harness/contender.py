"""What every Python contender shares: it runs inside the contender's own process and measures it.

A contender is one short file that ends in `contender.loader(...)` or `contender.calls(...)`. The runner starts it with
one argument, a JSON object: {"data": folder, "row": {...}, "result": file, "check": file or null, "seconds": least time
to measure}. It writes one JSON object to `result`; with `check` it measures nothing and writes its output as .npy
there, so that the runner can compare the pictures. Needs NumPy and nothing else.
"""

import dataclasses
import itertools
import json
import os
import pathlib
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy

MEAN = (0.485 * 255, 0.456 * 255, 0.406 * 255)
STD = (0.229 * 255, 0.224 * 255, 0.225 * 255)
SIZE = 224
# The fixed window of a check, relative to the picture. No multiple of a pixel comes near a half with these.
WINDOW_START = 0.1357
WINDOW_SHAPE = 0.7291
CHECKED_IMAGES = 64
BATCH_SIZE = 64


@dataclasses.dataclass(frozen=True)
class Work:
    """What a loader has to do: the files, in any order (as listed when checked), to float32 NCHW batches."""

    files: list[str]
    threads: int
    batch_size: int
    checked: bool  # the window of `window()` for every picture, no flip, the order of `files`


def window(height: int, width: int) -> tuple[int, int, int, int]:
    """(top, left, height, width) of the fixed window of a check."""
    top, left = (int(WINDOW_START * extent + 0.5) for extent in (height, width))
    bottom, right = (int((WINDOW_START + WINDOW_SHAPE) * extent + 0.5) for extent in (height, width))
    return top, left, bottom - top, right - left


def list_files(folder: str) -> list[str]:
    """Every JPEG under the folder, in order of path."""
    suffixes = {".jpg", ".jpeg"}
    paths = (path for path in pathlib.Path(folder).rglob("*") if path.suffix.lower() in suffixes)
    return sorted(str(path) for path in paths)


def descendants() -> list[int]:
    """Processes below this one (a loader's workers)."""
    found = [os.getpid()]
    for pid in found:  # Grows while it is walked.
        for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                found += map(int, (thread / "children").read_text().split())
            except OSError:
                continue
    return found[1:]


def cpu_seconds() -> float:
    """User and system time of this process, its living descendants and those it has waited for."""
    ticks = 0
    for pid in descendants():
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(int(fields[index]) for index in (11, 12, 13, 14))
    waited = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + waited.ru_utime + waited.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def peak_bytes() -> int:
    """This process's greatest resident set, and its descendants' proportional share at this moment."""
    total = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    for pid in descendants():
        try:
            lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def read_task() -> dict[str, Any]:
    return json.loads(sys.argv[1])


def deliver(task: dict[str, Any], result: dict[str, Any]) -> None:
    pathlib.Path(task["result"]).write_text(json.dumps(result))


def save(path: str, batches: Iterable[Any]) -> None:
    """The batches of a check as one .npy file."""
    numpy.save(path, numpy.concatenate([numpy.array(batch, dtype=numpy.float32) for batch in batches]))


def measure_epochs(epoch: Callable[[], Iterable[Any]], seconds: float) -> dict[str, float]:
    """Whole epochs until the time has passed."""
    images = 0
    begun, begun_cpu = time.perf_counter(), cpu_seconds()
    while time.perf_counter() - begun < seconds or images == 0:
        images += sum(len(batch) for batch in epoch())
    elapsed, elapsed_cpu = time.perf_counter() - begun, cpu_seconds() - begun_cpu
    return {"images_per_cpu_second": images / elapsed_cpu, "images_per_second": images / elapsed}


def loader(open_loader: Callable[[Work], Callable[[], Iterator[Any]] | None], versions: Callable[[], dict[str, str]],
           extra: Callable[[], dict[str, float]] = dict) -> None:
    """Measures a loader. `open_loader(work)` returns a function whose every call yields one epoch's batches,
    or None for checked work when there are no pictures to compare.

    The first epoch warms caches and workers up, and is timed only to its first batch. `extra()` may add metrics at the
    end.
    """
    task = read_task()
    files = list_files(task["data"])
    threads = task["row"]["threads"]
    if task["check"]:
        work = Work(files[:CHECKED_IMAGES], threads, CHECKED_IMAGES // 2, checked=True)
        epoch = open_loader(work)
        if epoch is not None:
            save(task["check"], epoch())
        return deliver(task, {"versions": versions()})

    begun = time.perf_counter()
    epoch = open_loader(Work(files, threads, BATCH_SIZE, checked=False))
    first_batch_s = None
    for _ in epoch():
        first_batch_s = first_batch_s or time.perf_counter() - begun
    measured = measure_epochs(epoch, task["seconds"])
    deliver(task, {"versions": versions(), **measured, "first_batch_s": first_batch_s,
                   "peak_rss_mib": peak_bytes() / 2**20, **extra()})


def calls(prepare: Callable[[dict[str, Any]], Callable[[], Any] | None], versions: Callable[[], dict[str, str]]) -> None:
    """Measures one function, an image a call, on one thread.

    `prepare(task)` returns it, or None when this row is not offered. What it returns is the picture of a check.
    """
    task = read_task()
    function = prepare(task)
    if function is None:
        return deliver(task, {"versions": versions(), "offered": False})
    if task["check"]:
        numpy.save(task["check"], numpy.asarray(function(), dtype=numpy.float32))
        return deliver(task, {"versions": versions()})
    function()
    count = 0
    step = 1
    begun = time.process_time()
    while (elapsed := time.process_time() - begun) < task["seconds"]:
        for _ in range(step):
            function()
        count += step
        step = min(2 * step, 64)
    deliver(task, {"versions": versions(), "images_per_cpu_second": count / elapsed})


def each_picture(prepare: Callable[[], Callable[[bytes], Any]]) -> Callable[[dict[str, Any]], Callable[[], Any]]:
    """For calls(): one call decodes the next picture of the row's folder; in a check always the first. A row of windows
    wants the middle half of height and width, which is cut out of the whole."""

    def bind(task: dict[str, Any]) -> Callable[[], Any]:
        paths = sorted(pathlib.Path(task["row"]["folder"]).iterdir())
        contents = itertools.cycle([path.read_bytes() for path in paths])
        decode = prepare()
        if task["row"].get("window"):
            return lambda: middle(numpy.asarray(decode(next(contents))))
        return lambda: decode(next(contents))

    return bind


def middle(picture: numpy.ndarray) -> numpy.ndarray:
    """Half of the height and half of the width; memory of its own."""
    height, width = picture.shape[:2]
    top, left = height // 4, width // 4
    return picture[top : top + height // 2, left : left + width // 2].copy()


def read_pixels(row: dict[str, Any]) -> numpy.ndarray:
    """The picture of a resize row: uint8, HWC."""
    shape = (row["in_height"], row["in_width"], 3)
    return numpy.fromfile(row["pixels"], numpy.uint8).reshape(shape)


def repeated(prepare: Callable[[dict[str, Any]], tuple[Callable[[], Any], Callable[[], Any], Callable[..., Any]] | None],
             versions: Callable[[], dict[str, str]]) -> None:
    """Measures work that may go on after the call that began it.

    `prepare(row)` returns the call, what waits for all calls, and what makes metrics of (seconds, CPU seconds) a call;
    or None when this row is not offered. Nothing is compared: a contender checks its own results.
    """
    task = read_task()
    prepared = None if task["check"] else prepare(task["row"])
    if prepared is None:
        return deliver(task, {"versions": versions(), "offered": False})
    call, wait, metrics = prepared
    call()
    wait()
    count = 0
    begun, begun_cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < task["seconds"]:
        for _ in range(task["row"]["calls"]):
            call()
        wait()
        count += task["row"]["calls"]
    elapsed, elapsed_cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    deliver(task, {"versions": versions(), **metrics(elapsed / count, elapsed_cpu / count)})
