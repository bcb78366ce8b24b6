"""Sound decoded by whole pipelines of one thread, Forebay's and DALI's by turns: `decode_pipelines.py [ROUNDS]`.

Each round runs both in fresh processes on the same files and compares what they made. The median of the ratios of
neighbouring rounds is printed; above 1 Forebay is faster. `FOREBAY_DALI_PYTHON` names the Python that has DALI, else
`.peers/dali/` is looked for.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "parity"))

from sound_files import encoded, kept, tones, wav  # noqa: E402

BATCH = 32
BATCHES = 40
WORK = {
    "wav": {}, "flac": {}, "wav to 16000 Hz, mono": {"sample_rate": 16000.0, "downmix": True},
    "vorbis": {},
}


def file_of(name: str) -> np.ndarray:
    if name.startswith("wav"):
        return encoded(wav(tones(44100 * 2, 2), 44100))
    return kept("stereo_16.flac" if name == "flac" else "stereo.vorbis.ogg")


def measured(library: str, name: str) -> dict[str, float]:
    """In a process of its own: seconds for all batches, and a sum of what came."""
    if library == "dali":
        from nvidia.dali import fn
        from nvidia.dali.pipeline import Pipeline
    else:
        from forebay import Pipeline, fn
    batch = [file_of(name)] * BATCH
    pipe = Pipeline(batch_size=BATCH, num_threads=1, device_id=None, prefetch_queue_depth=1)
    with pipe:
        pipe.set_outputs(fn.decoders.audio(fn.external_source(source=lambda: batch), **WORK[name])[0])
    pipe.build()
    first = np.array(pipe.run()[0].at(0))
    for _ in range(3):
        pipe.run()
    begin = time.perf_counter()
    for _ in range(BATCHES):
        pipe.run()
    return {"seconds": time.perf_counter() - begin, "sum": float(np.abs(first).sum()), "count": first.size}


def asked(python: str, library: str, name: str) -> dict[str, float]:
    command = [python, "-W", "ignore", __file__, "--of", library, name]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=300)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    dali = os.environ.get("FOREBAY_DALI_PYTHON", str(ROOT / ".peers" / "dali" / "bin" / "python"))
    if not pathlib.Path(dali).exists():
        sys.exit("no .peers/dali, and FOREBAY_DALI_PYTHON names no Python that has DALI")
    for name in WORK:
        ratios = []
        for turn in range(rounds):
            order = [("forebay", sys.executable), ("dali", dali)]
            results = {library: asked(python, library, name) for library, python in order[:: -1 if turn % 2 else 1]}
            ours, theirs = results["forebay"], results["dali"]
            if ours["count"] != theirs["count"] or abs(ours["sum"] / theirs["sum"] - 1) > 1e-3:
                sys.exit(f"{name}: not the same sound: {results}")
            ratios.append(theirs["seconds"] / ours["seconds"])
        files = BATCH * BATCHES / ours["seconds"]
        print(f"{name}: {statistics.median(ratios):.2f} of DALI (from {min(ratios):.2f} to {max(ratios):.2f}), "
              f"{files:.0f} files/s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--of"]:
        print(json.dumps(measured(*sys.argv[2:])))
    else:
        main()
