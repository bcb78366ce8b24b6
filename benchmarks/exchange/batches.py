"""Microseconds of handing one output of a batch to a framework, above the framework's own from_dlpack of that buffer.

    python benchmarks/exchange/batches.py [--json]

What the iterators of `forebay.plugin` do with each output, again and again for one batch of 64 x 224 x 224 x 3 bytes,
by turns with `from_dlpack` of a tensor over the same memory. Each framework has a process of its own. Those that are not
installed are left out; MXNet has an environment of its own (`make peers`).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

from forebay import Pipeline, TensorListCPU, fn

SHAPE = (224, 224, 3)
SAMPLES = 64
COUNT = 5_000
ROUNDS = 9

Call = Callable[[], Any]


def batch() -> TensorListCPU:
    pipe = Pipeline(batch_size=SAMPLES, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.external_source(lambda: np.zeros((SAMPLES, *SHAPE), np.uint8)))
    return pipe.run()[0]


def torch_calls(given: TensorListCPU) -> tuple[Call, Call]:
    import torch

    from forebay.plugin import pytorch

    tensor = given.as_tensor()
    return lambda: pytorch._dense(given, None), lambda: torch.from_dlpack(tensor)


def jax_calls(given: TensorListCPU) -> tuple[Call, Call]:
    import jax

    from forebay.plugin.jax.iterator import to_jax

    tensor = given.as_tensor()
    return lambda: to_jax(given), lambda: jax.dlpack.from_dlpack(tensor)


def paddle_calls(given: TensorListCPU) -> tuple[Call, Call]:
    import paddle

    from forebay.plugin import paddle as plugin

    tensor = given.as_tensor()
    return lambda: plugin._dense(given, None), lambda: paddle.utils.dlpack.from_dlpack(tensor.__dlpack__())


def tensorflow_calls(given: TensorListCPU) -> tuple[Call, Call]:
    """The data set gives TensorFlow an array, whose memory it takes as it lies."""
    import tensorflow as tf

    from forebay.plugin.tf.dataset import _array

    tensor, shape = given.as_tensor(), tf.TensorShape(None)
    return (
        lambda: _array(0, given, None, tf.uint8, shape),
        lambda: tf.experimental.dlpack.from_dlpack(tensor.__dlpack__()),
    )


def mxnet_calls(given: TensorListCPU) -> tuple[Call, Call]:
    """The iterator gives an array of `forebay.nd`, which MXNet takes by DLPack."""
    import mxnet

    from forebay.plugin import mxnet as plugin

    tensor = given.as_tensor()
    take = mxnet.nd.from_dlpack
    return lambda: take(plugin._array(given, None).__dlpack__()), lambda: take(tensor.__dlpack__())


CALLS = {
    "torch": torch_calls, "jax": jax_calls, "tensorflow": tensorflow_calls, "paddle": paddle_calls, "mxnet": mxnet_calls,
}


def microseconds(call: Call) -> float:
    return timeit.timeit(call, number=COUNT) / COUNT * 1e6


def measured(calls: tuple[Call, Call]) -> dict[str, float]:
    """Medians over rounds that take both by turns."""
    rounds = [[microseconds(call) for call in calls] for _ in range(ROUNDS)]
    ours, own = (statistics.median(each) for each in zip(*rounds, strict=True))
    return {"iterator": ours, "from_dlpack": own, "above": statistics.median(a - b for a, b in rounds)}


def measured_alone(name: str) -> dict[str, float]:
    """In a process of its own: frameworks do not bear each other in any order."""
    command = [sys.executable, __file__, "--json", "--only", name]
    run = subprocess.run(command, env={"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ}, stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)[name]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", choices=CALLS, help="this framework, in this process")
    asked = parser.parse_args()
    if asked.only is not None:
        found = {asked.only: measured(CALLS[asked.only](batch()))}
    else:
        found = {name: measured_alone(name) for name in CALLS if importlib.util.find_spec(name) is not None}
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{'us an output':<12}{'iterator':>12}{'from_dlpack':>14}{'above':>8}")
    for name, row in found.items():
        print(f"{name:<12}{row['iterator']:>12.2f}{row['from_dlpack']:>14.2f}{row['above']:>8.2f}")


if __name__ == "__main__":
    main()
