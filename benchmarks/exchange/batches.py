"""Microseconds of handing one output of a batch to a framework, above the framework's own from_dlpack of that buffer.

    python benchmarks/exchange/batches.py [--json]

What the iterators of `forebay.plugin` do with each output, again and again for one batch of 64 x 224 x 224 x 3 bytes,
by turns with `from_dlpack` of a tensor over the same memory. Frameworks that are not installed are left out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
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


CALLS = {"torch": torch_calls, "jax": jax_calls, "paddle": paddle_calls}


def microseconds(call: Call) -> float:
    return timeit.timeit(call, number=COUNT) / COUNT * 1e6


def measured(calls: tuple[Call, Call]) -> dict[str, float]:
    """Medians over rounds that take both by turns."""
    rounds = [[microseconds(call) for call in calls] for _ in range(ROUNDS)]
    ours, own = (statistics.median(each) for each in zip(*rounds, strict=True))
    return {"iterator": ours, "from_dlpack": own, "above": statistics.median(a - b for a, b in rounds)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    given = batch()
    found = {}
    for name, calls in CALLS.items():
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        found[name] = measured(calls(given))
    if as_json:
        print(json.dumps(found))
        return
    print(f"{'us an output':<12}{'iterator':>12}{'from_dlpack':>14}{'above':>8}")
    for name, row in found.items():
        print(f"{name:<12}{row['iterator']:>12.2f}{row['from_dlpack']:>14.2f}{row['above']:>8.2f}")


if __name__ == "__main__":
    main()
