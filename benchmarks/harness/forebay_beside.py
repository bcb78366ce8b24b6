"""The two jobs of the contenders of `beside/` that are Forebay. As a program: the other job, which says so when it
trains."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import first_batches
import own_package
from training_job import SIZE

own_package.make_importable()

from forebay import fn, pipeline_def  # noqa: E402

STEP_S = 0.15  # of the other job: half of what the wire could give it
STEPS_BEFORE = 4


@pipeline_def
def train(root):
    jpegs, labels = fn.readers.file(file_root=root, random_shuffle=True, name="reader")
    return fn.resize(fn.decoders.image_random_crop(jpegs), size=(SIZE, SIZE), antialias=True), labels


def batches_of(root: str, seed: int) -> Iterator[Any]:
    pipe = train(root, batch_size=first_batches.BATCH_SIZE, num_threads=1, device_id=None, seed=seed)
    pipe.build()
    while True:
        yield pipe.run()


@contextlib.contextmanager
def other_job(found: dict[str, Any]) -> Iterator[None]:
    """Goes on until the end. Entered when it has trained for a while."""
    if found["check"]:
        yield
        return
    with subprocess.Popen([sys.executable, __file__, found["row"]["other"]], stdout=subprocess.PIPE, text=True) as job:
        try:
            assert job.stdout is not None and "training" in job.stdout.readline()
            yield
        finally:
            job.kill()


if __name__ == "__main__":
    for step, _ in enumerate(batches_of(sys.argv[1], seed=2), 1):
        time.sleep(STEP_S)
        if step == STEPS_BEFORE:
            print("training", flush=True)
