"""Memory stays flat: over a thousand epochs, and over two hundred pipelines that are made and dropped. Each in a process
of its own, whose resident memory, threads and descriptors are compared."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import textwrap

import pytest

TESTS = pathlib.Path(__file__).parents[1] / "support"

HEAD = """
import ctypes, gc, os, pathlib, sys, time
sys.path.insert(0, {tests!r})
import numpy as np
from forebay import autograd, fn, nd, pipeline_def
from sample_pipelines import augmented
ROOT = {root!r}

def resident():
    # Of memory in use: what was freed goes back first.
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return 1024 * int(pathlib.Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0])

LAZY = 8  # threads and descriptors that the library may still make for itself, once a process

def held():
    return {{"threads": len(os.listdir("/proc/self/task")), "files": len(os.listdir("/proc/self/fd"))}}

def check_flat(work, times, before, slack, rounds=3):
    # The least of what a round adds is what leaks: other things grow once.
    for _ in range(before):
        work()
    taken, grown = held(), []
    for _ in range(rounds):
        start = resident()
        for _ in range(times):
            work()
        grown.append(resident() - start)
        if grown[-1] < slack:
            break
    assert min(grown) < slack, f"bytes more in {{times}} times: {{grown}}"
    end = time.monotonic() + 30
    while any(now > taken[kind] + LAZY for kind, now in held().items()) and time.monotonic() < end:
        os.sched_yield()  # threads of what was dropped last may still be ending
    assert all(now <= taken[kind] + LAZY for kind, now in held().items()), (held(), taken)
    print("flat", grown, held())
"""

EPOCHS = """
    pipe = augmented(ROOT, batch_size=4)
    batches = -(-pipe.epoch_size("reader") // 4)

    def epoch():
        for _ in range(batches):
            pipe.run()

    check_flat(epoch, {epochs}, 50, 1 << 20)
"""

EPOCHS_OF_ARRAYS = """
    pipe = augmented(ROOT, batch_size=4)
    batches = -(-pipe.epoch_size("reader") // 4)
    weight = nd.zeros((24 * 24 * 3, 2))
    weight.attach_grad()

    def epoch():
        for _ in range(batches):
            images, labels = pipe.run_arrays()
            with autograd.record():
                loss = nd.softmax_cross_entropy(nd.dot(images.reshape((images.shape[0], -1)), weight), labels[:, 0])
            loss.backward()
            nd.sgd_update(weight, weight.grad, lr=0.001, out=weight)
        nd.waitall()

    check_flat(epoch, {epochs}, 50, 1 << 20)
"""

EPOCHS_OF_FUNCTIONS = """
    def numbers():
        for place in range(8):
            yield [np.full((place + 1, 3), place, np.float32)] * 4

    @pipeline_def(batch_size=4, num_threads=2)
    def fed():
        made = fn.external_source(numbers, cycle="raise")
        return fn.pad(fn.python_function(made, function=lambda x: x + 1), fill_value=0)

    pipe = fed()

    def epoch():
        try:
            while True:
                pipe.run()
        except StopIteration:
            pipe.reset()

    check_flat(epoch, {epochs}, 50, 1 << 20)
"""

PIPELINES = """
    def whole():
        pipe = augmented(ROOT, batch_size=4)
        for _ in range(3):
            pipe.run()

    def left_early():
        augmented(ROOT, batch_size=4, prefetch_queue_depth=3).run()

    def never_run():
        augmented(ROOT, batch_size=4).build()

    def fed():
        @pipeline_def(batch_size=4, num_threads=2)
        def make():
            made = fn.external_source(lambda info: np.full(1000, info.iteration, np.float32), batch=False)
            return fn.python_function(made, function=lambda x: x + 1)

        make().run()

    kinds = (whole, left_early, never_run, fed)

    def four():
        for kind in kinds:
            kind()

    check_flat(four, {pipelines} // len(kinds), 10, 1 << 20)
"""


def check(body: str, photos: pathlib.Path, timeout_s: float, **numbers: int) -> None:
    script = HEAD.format(tests=str(TESTS), root=str(photos)) + textwrap.dedent(body).format(**numbers)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=timeout_s)
    assert (run.returncode, run.stderr) == (0, "") and run.stdout.startswith("flat"), run.stderr
    print(run.stdout)


@pytest.mark.nightly
@pytest.mark.parametrize("body", [EPOCHS, EPOCHS_OF_ARRAYS, EPOCHS_OF_FUNCTIONS], ids=["files", "arrays", "functions"])
def test_a_thousand_epochs(body: str, photos: pathlib.Path) -> None:
    check(body, photos, 280, epochs=1000)


@pytest.mark.nightly
def test_two_hundred_pipelines(photos: pathlib.Path) -> None:
    check(PIPELINES, photos, 280, pipelines=200)
