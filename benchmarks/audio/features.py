"""What RNN-T training does to sound before the network, one thread: seconds of sound a CPU-second, library by library.

    python benchmarks/audio/features.py [--rounds N] [--libraries dali,torchaudio,librosa]

Mono sound of 16 kHz, 2 to 16 s long, in memory: silence cut, preemphasis, spectrogram, 80 mel bands, logarithm,
normalisation by band, three frames spliced into each third. With `--resample` sound is played 0.9 to 1.1 times as fast
first, where a library's pipeline has that. Each round runs all libraries in fresh processes pinned to one core, in an
order that turns; a ratio is the median of those of the rounds. Features, whose deviation is 1, are compared with ours,
sound by sound: where DALI's silence ends some samples elsewhere (its sums are floats), the last window differs, and all
others a little, by the mean and deviation.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "work"))
sys.path.insert(0, str(HERE.parent / "harness"))

RATE = 16000
BATCH = 32
SECONDS = 3.0
ENVIRONMENTS = {"forebay": "forebay", "dali": "dali", "torchaudio": "audio", "librosa": "audio"}


def sounds() -> list[np.ndarray]:
    """A batch of voices' worth: tones under an envelope, noise, silence at both ends; 2 to 16 s."""
    random = np.random.default_rng(5)
    batch = []
    for length in np.linspace(2, 16, BATCH):
        count = int(length * RATE)
        times = np.arange(count) / RATE
        pitch = 2 * np.pi * (120 + 40 * np.sin(2 * np.pi * 0.7 * times)) * times
        voice = sum(np.sin(harmonic * pitch) / harmonic for harmonic in range(1, 20)) * (1 + np.sin(9 * times))
        envelope = np.clip(np.minimum(times - 0.2, times[-1] - 0.3 - times) * 20, 0, 1)
        batch.append((0.1 * voice * envelope + random.normal(0, 1e-5, count)).astype(np.float32))
    order = random.permutation(BATCH)
    return [batch[place] for place in order]


def work_of(library: str) -> Callable[[list[np.ndarray], bool], Callable[[], list[np.ndarray]]]:
    """The library's function that makes one that gives the features of the batch."""
    if library in ("forebay", "dali"):
        import pipelines

        return lambda batch, resample: pipelines.features(library, batch, resample)
    module = __import__("torchaudio_features" if library == "torchaudio" else "librosa_features")
    return lambda batch, resample: module.features(batch)


def measure(library: str, resample: bool, result: str) -> None:
    """In a process of its own: CPU seconds a batch, and the features."""
    batch = sounds()
    make = work_of(library)(batch, resample)
    features = make()
    make()
    count, begun = 0, time.process_time()
    while time.process_time() - begun < SECONDS:
        make()
        count += 1
    np.savez(result, seconds=(time.process_time() - begun) / count, **{f"f{i}": one for i, one in enumerate(features)})


def asked(library: str, resample: bool) -> dict[str, Any]:
    import environments

    core = str(max(os.sched_getaffinity(0)))
    python = sys.executable if library == "forebay" else str(environments.python_of(ENVIRONMENTS[library]))
    with tempfile.TemporaryDirectory() as folder:
        result = f"{folder}/result.npz"
        task = json.dumps([library, resample, result])
        single = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        subprocess.run(["taskset", "-c", core, python, __file__, "--measure", task], check=True, timeout=300,
                       env={**environments.quiet(), **single}, stderr=subprocess.DEVNULL)
        with np.load(result) as found:
            return {name: found[name] for name in found.files}


def compared(got: dict[str, Any], want: dict[str, Any]) -> str:
    differences = []
    for i in range(BATCH):
        a, b = got[f"f{i}"], want[f"f{i}"]
        if a.shape != b.shape:
            return f"shapes differ: {a.shape} and {b.shape} of sound {i}"
        differences.append(float(np.sqrt(np.square(a - b).mean())))
    return f"root mean square difference {statistics.median(differences):.1e}, at most {max(differences):.1e}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--libraries", default="dali,torchaudio,librosa")
    parser.add_argument("--resample", action="store_true")
    parser.add_argument("--measure")
    arguments = parser.parse_args()
    if arguments.measure:
        measure(*json.loads(arguments.measure))
        return
    libraries = ["forebay", *arguments.libraries.split(",")]
    total = sum(len(sound) for sound in sounds()) / RATE
    print(f"{BATCH} sounds of 2 to 16 s, {total:.0f} s together, 16 kHz mono, float32; one thread")
    seconds: dict[str, list[float]] = {library: [] for library in libraries}
    features: dict[str, dict[str, Any]] = {}
    for turn in range(arguments.rounds):
        for place in range(len(libraries)):
            library = libraries[(place + turn) % len(libraries)]
            features[library] = asked(library, arguments.resample)
            seconds[library].append(float(features[library]["seconds"]))
    for library in libraries:
        ratio = statistics.median(other / own for own, other in zip(seconds["forebay"], seconds[library]))
        rate = total / statistics.median(seconds[library])
        difference = "" if library == "forebay" else compared(features[library], features["forebay"])
        print(f"{library:11} {rate:9.0f} s of sound a CPU-second   forebay/{library} {ratio:5.2f}   {difference}")


if __name__ == "__main__":
    main()
