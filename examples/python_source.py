"""Feeds a pipeline from Python: pictures drawn when they are asked for, here and in worker processes.

    python examples/python_source.py [--out FOLDER] [--samples N] [--workers N]

Leaves in --out (demo/) a contact sheet of one batch. What the source gives is the same wherever it runs, because each
picture depends on nothing but its place in the epoch.
"""

import argparse
import pathlib
import time

import numpy as np
from drawing import contact_sheet

from forebay import fn, pipeline_def, types

BATCH = 32
SIDE = 128
KINDS = ("disc", "ring", "star", "stripes")


class Drawings:
    """Called with a types.SampleInfo, for any sample in any order; pickled to start a worker."""

    def __init__(self, samples):
        self.samples = samples

    def __call__(self, info):
        if info.idx_in_epoch >= self.samples:
            raise StopIteration  # the epoch's end
        rng = np.random.default_rng([info.epoch_idx, info.idx_in_epoch])
        kind = int(rng.integers(len(KINDS)))
        y, x = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j] - rng.uniform(-0.3, 0.3, (2, 1, 1))
        away, angle = np.hypot(x, y), np.arctan2(y, x) + rng.uniform(0, np.pi)
        inside = {
            "disc": away < 0.5, "ring": abs(away - 0.5) < 0.12, "star": away < 0.4 + 0.2 * np.cos(5 * angle),
            "stripes": np.sin(16 * away * np.cos(angle)) > 0,
        }[KINDS[kind]]
        colors = rng.integers(0, 256, (2, 3), np.uint8)
        return colors[inside.astype(int)], np.int32([kind])


@pipeline_def(batch_size=BATCH, seed=1)
def drawings(samples, in_workers):
    pictures, labels = fn.external_source(Drawings(samples), num_outputs=2, batch=False, parallel=in_workers,
                                          dtype=[types.UINT8, types.INT32], layout=["HWC", ""])
    pictures = fn.rotate(pictures, angle=fn.random.uniform(range=[-20.0, 20.0]), keep_size=True, fill_value=0)
    return fn.resize(pictures, size=(96, 96)), labels


def epoch_of(pipe):
    """All batches up to the source's StopIteration, and pictures a second behind the first batch."""
    batches, begun = [], 0.0
    while True:
        try:
            batches.append([np.array(output.as_array()) for output in pipe.run()])
        except StopIteration:
            break
        begun = begun or time.perf_counter()
    return batches, BATCH * (len(batches) - 1) / (time.perf_counter() - begun)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo/source"))
    parser.add_argument("--samples", type=int, default=512, help="in whole batches of 32")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    here, rate = epoch_of(drawings(arguments.samples, False, num_threads=2))
    print(f"in this process: {rate:.0f} pictures/s")
    pipe = drawings(arguments.samples, True, num_threads=2, py_num_workers=arguments.workers, py_start_method="spawn")
    there, rate = epoch_of(pipe)
    print(f"in {arguments.workers} worker processes: {rate:.0f} pictures/s")
    same = len(here) == len(there) and all(
        np.array_equal(a, b) for ours, theirs in zip(here, there) for a, b in zip(ours, theirs))
    print(f"{len(here)} batches, {'the same bits' if same else 'other bits'} both ways")
    pictures, labels = here[0]
    contact_sheet(pictures, arguments.out / "batch.png", [KINDS[int(label)] for label in labels[:, 0]])


if __name__ == "__main__":
    main()
