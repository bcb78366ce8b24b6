"""What scripts say around the operators, as cases. Each is a function that gets a library with DALI's interface and gives
what can be written as JSON, or raises; `record_language.py` runs them with DALI, `test_language.py` with Forebay."""

from __future__ import annotations

import builtins
from typing import Any, Callable

import numpy as np

CASES: dict[str, Callable[[Any], Any]] = {}


def case(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    CASES[function.__name__] = function
    return function


def source(dali: Any, value: Any, **arguments: Any) -> Any:
    """A node that gives `value` for each sample."""
    return dali.fn.external_source(source=lambda _: np.array(value), batch=False, **arguments)


def run(dali: Any, body: Callable[[], Any], batch_size: int = 1, **arguments: Any) -> list[Any]:
    """The first batch of a pipeline with this body."""
    make = dali.pipeline_def(batch_size=batch_size, num_threads=1, device_id=None, **arguments)(body)
    return outputs_of(make())


def branching(dali: Any, body: Callable[..., Any], *conditions: Any) -> list[Any]:
    """The outputs of `body`, which gets a node for each condition; those are batches of two."""

    @dali.pipeline_def(batch_size=2, num_threads=1, device_id=None, enable_conditionals=True)
    def pipeline() -> Any:
        nodes = [dali.fn.external_source(source=_samples(values), batch=False) for values in conditions]
        return body(*nodes)

    return outputs_of(pipeline())


def _samples(values: Any) -> Callable[[Any], np.ndarray]:
    return lambda info: np.array(values[info.idx_in_batch])


def outputs_of(pipeline: Any) -> list[Any]:
    pipeline.build()
    return [[np.array(output.at(i)).tolist() for i in range(len(output))] for output in pipeline.run()]


def outcome(function: Callable[[Any], Any], dali: Any) -> dict[str, Any]:
    """What the case gives, or the builtin exception that it raises."""
    try:
        return {"value": function(dali)}
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind]
        return {"error": kinds[0]}
