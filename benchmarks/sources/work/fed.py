"""A pipeline over one parallel source, in Forebay and in DALI alike: how many bytes a second come through."""

from typing import Any

import contender
import numpy

BATCH_SIZE = 16
KEPT = 64  # different samples, which a worker has in its memory as the parent had them
BATCHES_BEFORE = 20
BATCHES_AT_ONCE = 20
MARK = 8  # bytes at the beginning of a sample, by which it is known


class Kept:
    """The source: samples, or batches of them, that lie in memory."""

    def __init__(self, sample_bytes: int, gives_batches: bool) -> None:
        rng = numpy.random.default_rng(1)
        self._samples = [rng.integers(0, 256, sample_bytes, numpy.uint8) for _ in range(KEPT)]
        for number, sample in enumerate(self._samples):
            sample[:MARK] = number
        self._gives_batches = gives_batches

    def __call__(self, asked: Any) -> Any:
        if not self._gives_batches:
            return self._samples[asked.idx_in_epoch % KEPT]
        return [self._samples[(asked * BATCH_SIZE + place) % KEPT] for place in range(BATCH_SIZE)]


def _open(lib: Any, row: dict[str, Any]) -> Any:
    source = Kept(row["sample_bytes"], row["batch"])
    pipe = lib.Pipeline(batch_size=BATCH_SIZE, num_threads=1, device_id=None, py_num_workers=row["workers"],
                        py_start_method="fork", prefetch_queue_depth=2)
    with pipe:
        pipe.set_outputs(lib.fn.external_source(source, parallel=True, batch=row["batch"], prefetch_queue_depth=2,
                                                bytes_per_sample_hint=row["sample_bytes"]))
    pipe.build()
    return pipe


def _take(pipe: Any, first: int, count: int) -> int:
    """Runs so many batches and compares the marks of their samples; the number of the next batch."""
    for batch in range(first, first + count):
        (output,) = pipe.run()
        for place in range(BATCH_SIZE):
            found = numpy.asarray(output[place])[:MARK]
            wanted = (batch * BATCH_SIZE + place) % KEPT
            if not (found == wanted).all():
                raise ValueError(f"sample {place} of batch {batch} begins with {found}, not with {wanted}")
    return first + count


def measure(lib: Any, versions: dict[str, str]) -> None:
    task = contender.read_task()
    if task["check"]:
        return contender.deliver(task, {"versions": versions, "offered": False})
    row = task["row"]
    pipe = _open(lib, row)
    at = _take(pipe, 0, BATCHES_BEFORE)

    def epoch() -> Any:
        nonlocal at
        at = _take(pipe, at, BATCHES_AT_ONCE)
        return [range(BATCH_SIZE)] * BATCHES_AT_ONCE

    found = contender.measure_epochs(epoch, task["seconds"])
    gigabytes = row["sample_bytes"] / 1e9  # a sample
    contender.deliver(task, {"versions": versions, "gigabytes_per_second": found["images_per_second"] * gigabytes,
                             "cpu_seconds_per_gigabyte": 1 / (found["images_per_cpu_second"] * gigabytes),
                             "peak_rss_mib": contender.peak_bytes() / 2**20})
