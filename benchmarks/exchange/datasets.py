"""Batches by `forebay.plugin.tf.DALIDataset`, beside TensorFlow's own data sets over the same arrays in memory.

    python benchmarks/exchange/datasets.py [--rounds N] [--json]

The batches are arrays that lie there, aligned as TensorFlow wants them. "forebay": a pipeline over a source that gives
them, `no_copy=True`. "generator": `from_generator` that yields them. "samples": `from_tensor_slices` of their samples,
and `batch`. "slices": `from_tensor_slices` of the batches, which TensorFlow keeps and steps through without Python and
without a copy. Each is stepped through in this process, as it is and with `prefetch(2)`, by turns that begin with
another of them in each round. Figures are medians of rounds, ratios those of the rounds' ratios. Needs TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

from forebay import fn, pipeline_def
from forebay.plugin.tf import DALIDataset

BATCHES = 16  # different ones
# Name: shape of a batch, steps of a round.
SHAPES = {
    "64 x 224 x 224 x 3 bytes": ((64, 224, 224, 3), 200),
    "64 x 32 x 32 x 3 bytes": ((64, 32, 32, 3), 1000),
}

def forebay_data(arrays: np.ndarray) -> tf.data.Dataset:
    @pipeline_def(batch_size=arrays.shape[1], num_threads=1)
    def make() -> Any:
        return fn.external_source(lambda number: arrays[number % BATCHES], no_copy=True)

    return DALIDataset(make(), output_dtypes=tf.uint8, output_shapes=arrays.shape[1:])


def generator_data(arrays: np.ndarray) -> tf.data.Dataset:
    def give() -> Iterator[np.ndarray]:
        while True:
            yield from arrays

    return tf.data.Dataset.from_generator(give, output_signature=tf.TensorSpec(arrays.shape[1:], tf.uint8))


def samples_data(arrays: np.ndarray) -> tf.data.Dataset:
    samples = arrays.reshape(-1, *arrays.shape[2:])
    return tf.data.Dataset.from_tensor_slices(samples).repeat().batch(arrays.shape[1], drop_remainder=True)


def slices_data(arrays: np.ndarray) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices(arrays).repeat()


CONTENDERS = {"forebay": forebay_data, "generator": generator_data, "samples": samples_data, "slices": slices_data}


def aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Random bytes at a multiple of 64."""
    size = int(np.prod(shape))
    memory = np.random.default_rng(1).integers(0, 256, size + 64, np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first : first + size].reshape(shape)


def check(name: str, steps: Iterator[Any], arrays: np.ndarray) -> None:
    for number in range(BATCHES):
        given = next(steps)
        if not np.array_equal((given[0] if isinstance(given, tuple) else given).numpy(), arrays[number]):
            raise ValueError(f"{name}: batch {number} is another")


def microseconds(steps: Iterator[Any], count: int) -> float:
    begun = time.perf_counter()
    for _ in range(count):
        next(steps)
    return (time.perf_counter() - begun) / count * 1e6


def measured(shape: tuple[int, ...], count: int, ahead: int, rounds: int) -> dict[str, dict[str, float]]:
    arrays = aligned((BATCHES, *shape))
    made = {name: make(arrays) for name, make in CONTENDERS.items()}
    steps = {name: iter(each.prefetch(ahead) if ahead else each) for name, each in made.items()}
    for name, each in steps.items():
        check(name, each, arrays)
    names = list(steps)
    found: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            found[name].append(microseconds(steps[name], count))
    own = found["forebay"]
    return {
        name: {
            "us_a_batch": statistics.median(times),
            "forebay_is": statistics.median(other / mine for mine, other in zip(own, times, strict=True)),
        }
        for name, times in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = {
        f"{name}{f', prefetch({ahead})' if ahead else ''}": measured(shape, count, ahead, given.rounds)
        for name, (shape, count) in SHAPES.items()
        for ahead in (0, 2)
    }
    if given.json:
        print(json.dumps({"tensorflow": tf.__version__, "rows": found}))
        return
    print(f"tensorflow {tf.__version__}, {given.rounds} rounds, medians")
    for name, row in found.items():
        print(f"\n{name:<38}{'us a batch':>12}{'forebay is':>12}")
        for contender, figures in row.items():
            print(f"{contender:<38}{figures['us_a_batch']:>12.1f}{figures['forebay_is']:>11.2f}x")


if __name__ == "__main__":
    main()
