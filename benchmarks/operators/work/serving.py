"""What both contenders do: answer questions about operators, one a line of JSON on standard input, by one line each.

{"open": name} builds the operator's pipeline and lets go of the last one, {"measure": seconds} runs it and says how
many samples came in a second, {"check": path} writes there what it gives.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import sys
import time
import warnings
from typing import Any

import input_data
import numpy
import operators  # noqa: F401
from operator_table import OPERATORS, Operator

WARMING_BATCHES = 2
CHECKED_SAMPLES = 8
DRAWN_SAMPLES = 6 * input_data.BATCH


def _pipeline(lib: Any) -> Any:
    return lib.Pipeline(batch_size=input_data.BATCH, num_threads=1, device_id=None, seed=1)


@functools.cache
def _batch(lib: Any, name: str) -> tuple[Any, Any]:
    """The input as a batch that the library itself made, which it takes again without copying or looking at it; and
    the pipeline that made it."""
    arrays, layout = input_data.batch(name)
    pipe = _pipeline(lib)
    with pipe:
        pipe.set_outputs(lib.fn.external_source(source=lambda: arrays, layout=layout))
    pipe.build()
    (made,) = pipe.run()
    return made, pipe


def _fed(lib: Any, name: str) -> Any:
    batch, _ = _batch(lib, name)
    return lib.fn.external_source(source=lambda: batch, no_copy=True)


def _open(lib: Any, operator: Operator) -> Any:
    for name in operator.inputs:
        _batch(lib, name)  # not within the other pipeline
    pipe = _pipeline(lib)
    with pipe:
        made = operator.make(lib, *(_fed(lib, name) for name in operator.inputs))
        pipe.set_outputs(*(made if isinstance(made, (list, tuple)) else [made]))
    pipe.build()
    return pipe


def _measure(pipe: Any, seconds: float) -> dict[str, float]:
    """Samples a second and a CPU-second, of this thread and all that the library has."""
    batches, step = 0, 1
    begun, begun_cpu = time.perf_counter(), time.process_time()
    while time.process_time() - begun_cpu < seconds:
        for _ in range(step):
            pipe.run()
        batches += step
        step = min(2 * step, 64)
    elapsed, elapsed_cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    samples = batches * input_data.BATCH
    return {"samples_per_cpu_second": samples / elapsed_cpu, "samples_per_second": samples / elapsed}


def _arrays(outputs: Any, number: int) -> list[numpy.ndarray]:
    return [numpy.array(output.at(number)) for output in outputs]


def _check(pipe: Any, operator: Operator, path: str) -> dict[str, Any]:
    """Writes the first samples; of what is drawn, all numbers of some batches."""
    found: dict[str, numpy.ndarray] = {}
    drawn: list[list[numpy.ndarray]] = []
    outputs = pipe.run()
    layouts = [output.layout() for output in outputs]
    for number in range(CHECKED_SAMPLES):
        for place, array in enumerate(_arrays(outputs, number)):
            found[f"{place} {number}"] = array
    while operator.bar == "drawn" and len(drawn) < DRAWN_SAMPLES:
        drawn += [[_moments(array) for array in _arrays(outputs, number)] for number in range(input_data.BATCH)]
        outputs = pipe.run()
    for place in range(len(layouts) if drawn else 0):
        found[f"{place} drawn"] = numpy.array([sample[place] for sample in drawn])
    numpy.savez(path, **found)
    return {"layouts": layouts}


def _moments(array: numpy.ndarray) -> numpy.ndarray:
    """Size, mean and deviation of a sample."""
    numbers = array.astype(numpy.float64)
    return numpy.array([array.size, *((numbers.mean(), numbers.std()) if array.size else (0.0, 0.0))])


class _Answers:
    """At most one pipeline is kept."""

    def __init__(self, lib: Any) -> None:
        self._lib = lib
        self._name = ""
        self._pipe: Any = None

    def of(self, question: dict[str, Any]) -> dict[str, Any]:
        if "open" in question:
            self._open(question["open"])
            return {}
        operator = OPERATORS[self._name]
        if "check" in question:
            return _check(self._pipe, operator, question["check"])
        return _measure(self._pipe, question["measure"])

    def _open(self, name: str) -> None:
        self._pipe = None
        gc.collect()
        self._name = name
        self._pipe = _open(self._lib, OPERATORS[name])
        for _ in range(WARMING_BATCHES):
            self._pipe.run()


def serve(lib: Any, versions: dict[str, str]) -> None:
    """Until standard input ends. What a library prints goes to standard error."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    asked = _Answers(lib)
    print(json.dumps(versions), file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = asked.of(json.loads(line))
        except Exception as error:  # noqa: BLE001 - the one who asks says it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
