"""The example's pipeline in this process, without a server: what preparing a picture costs by itself.

    bare_pipeline.py EXAMPLES INPUTS SECONDS THREADS

Prints one JSON object: CPU microseconds of this process a sample, and samples a second. Runs under .venv.
"""

import itertools
import json
import pathlib
import sys
import time

sys.path.insert(0, sys.argv[1])

import numpy  # noqa: E402
import preparation  # noqa: E402

BATCH = 16


def main() -> None:
    inputs, seconds, threads = pathlib.Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    files = [numpy.fromfile(path, numpy.uint8) for path in sorted((inputs / "files").iterdir())]
    turn = itertools.cycle(files)
    pipeline = preparation.preparation(batch_size=BATCH, num_threads=threads)
    pipeline.build()

    def step() -> None:
        pipeline.feed_input("picture", [next(turn) for _ in range(BATCH)])
        pipeline.run()

    for _ in range(8):
        step()
    count = 0
    begun, begun_cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < seconds:
        step()
        count += BATCH
    cpu_s, wall_s = time.process_time() - begun_cpu, time.perf_counter() - begun
    print(json.dumps({"cpu_us": cpu_s / count * 1e6, "samples_per_second": count / wall_s}))


if __name__ == "__main__":
    main()
