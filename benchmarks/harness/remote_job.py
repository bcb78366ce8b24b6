"""What `job/run` and `three_ways` share: pictures in a remote store, as every contender wants them, and what a batch of
them costs where they lie on the local disk."""

import contextlib
import pathlib
import subprocess
import sys

import environments
import remote_store
import runner
import shards

WORKERS = 2
SLOWER = 1.25  # a step's time, of what a batch costs from local files: a loader that keeps up has some air

# A process of its own: beside `job/run` lies a file that is named forebay, too.
LOCAL_BATCH = """
import sys, time, forebay_job
epoch = forebay_job.batches_of(sys.argv[1], int(sys.argv[2]))
found = []
for _ in range(4):
    begin = time.perf_counter()
    steps = sum(1 for _ in epoch())
    found.append((time.perf_counter() - begin) / steps)
print(sorted(found[1:])[1])
"""


def seconds_a_batch(folder: pathlib.Path) -> float:
    """From local files, with all cores: the median of three epochs."""
    command = [sys.executable, "-P", "-c", LOCAL_BATCH, str(folder), str(WORKERS)]
    printed = subprocess.run(command, env=environments.quiet(), check=True, capture_output=True, text=True).stdout
    return float(printed)


def row_of(stack: contextlib.ExitStack, files: dict[str, pathlib.Path], first_byte_s: float, bytes_per_second: float,
           step_s: float, counter: pathlib.Path, with_shards: bool = True) -> runner.Row:
    """Stores the files by key (`train/CLASS/NAME`), with their shards, and opens the wire to them."""
    contents = {key: path.read_bytes() for key, path in files.items()}
    tars = shards.tars(files) if with_shards else {}
    mosaic = shards.mosaic(files) if with_shards else {}
    server = stack.enter_context(remote_store.remote_store({**contents, **tars, **mosaic}))
    wire = stack.enter_context(remote_store.wire_to(server, first_byte_s, bytes_per_second, counter))
    return {"keys": list(files), "tars": [wire.signed_url(key) for key in tars], "bucket": remote_store.BUCKET,
            "root": f"s3://{remote_store.BUCKET}/train", "bytes": sum(map(len, contents.values())),
            "environment": {**wire.environment(), "FOREBAY_DAEMON": "off"}, "threads": WORKERS, "workers": WORKERS,
            "counter": str(counter), "step_s": step_s}
