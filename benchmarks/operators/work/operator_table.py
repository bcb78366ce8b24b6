"""What is measured: operators by name, each a function of a library and of its inputs' nodes, written once for both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Make = Callable[..., Any]


@dataclass(frozen=True)
class Operator:
    """`make(lib, *nodes)` gives its outputs; `inputs` are names of `input_data.py`; `bar` is one of `comparing.py`."""

    name: str
    make: Make
    inputs: tuple[str, ...]
    bar: str = "exact"


OPERATORS: dict[str, Operator] = {}

# Operators of both libraries that have no line in the table, and why.
NOT_MEASURED = {
    "experimental.resize, experimental.remap, jitter, experimental.dilate, experimental.erode, "
    "experimental.median_blur, decoders.inflate": "DALI runs them on a GPU alone",
    "readers.*, experimental.readers.*, decoders.*, peek_image_shape, io.file.read": "benchmarks/readers, benchmarks/decode",
    "dump_image": "it writes a file for each sample",
    "copy, reinterpret, external_source": "they hand on what they get",
    "deprecated aliases": "they are the operators themselves",
}


def measured(name: str, make: Make, *inputs: str, bar: str = "exact") -> None:
    """Adds an operator; a name that is the operator's own, with words behind it where there are several lines."""
    if name in OPERATORS:
        raise ValueError(f"two lines are called {name}")
    OPERATORS[name] = Operator(name, make, inputs, bar)


def chosen(names: str | None) -> dict[str, Operator]:
    """Those whose name begins with one of `names`, by comma; all without."""
    if not names:
        return OPERATORS
    wanted = tuple(names.split(","))
    found = {name: one for name, one in OPERATORS.items() if name.startswith(wanted)}
    missing = [part for part in wanted if not any(name.startswith(part) for name in OPERATORS)]
    if missing:
        raise ValueError(f"no operator here begins with {', '.join(missing)}")
    return found
