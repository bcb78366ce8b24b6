"""Every case of the guard: a name, whether its bits are promised on every machine, and the hash of what it gives."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import re
import sys
import warnings
from typing import Any, Iterator

import numpy as np

PARITY = pathlib.Path(__file__).parents[1] / "parity"
sys.path.insert(0, str(PARITY))

import image_cases  # noqa: E402
import iterator_cases  # noqa: E402
import network_cases  # noqa: E402
import operator_cases  # noqa: E402
import reader_cases  # noqa: E402
import run_arrays  # noqa: E402
import session_cases  # noqa: E402

import forebay  # noqa: E402
import forebay.fn  # noqa: E402
import forebay.math  # noqa: E402
import forebay.tfrecord  # noqa: E402
from forebay import _core, autograd, nd  # noqa: E402
from forebay.plugin.base_iterator import LastBatchPolicy  # noqa: E402
from forebay.plugin.numpy import NumpyIterator  # noqa: E402

# Calls on arrays whose last bits come from the C library, from BLAS or from a vector unit's own functions.
OF_THE_MACHINE = re.compile(
    r"\*\*|\b(\w*exp\w*|log\w*|\w*sin\w*|\w*cos\w*|\w*tan\w*|\w*cbrt|rsqrt|sigmoid|hard_sigmoid|soft\w+|erf\w*|gamma\w*|"
    r"norm|L2Normalization|moments|mean|hypot|broadcast_hypot|degrees|radians|reciprocal|dot|batch_dot|linspace)\(")
CLOSE_OPERATORS = {row["name"] for row in _core.operator_table() if not row["is_exact"]}
# What of the arithmetic is the same everywhere, although its row, which has transcendental functions too, is `close`.
EXACT_ARITHMETIC = set(operator_cases.ARITHMETIC) | {"min", "max", "clamp", "abs", "fabs", "floor", "ceil", "sqrt"}
CLOSE_SESSIONS = {"altered sound close", "augmented images close", "random numbers close"}


def digest(value: Any) -> str:
    """A hash of nested lists, tuples, dictionaries, numbers, texts and arrays: shapes, types and bytes."""
    state = hashlib.sha256()

    def add(part: Any) -> None:
        if isinstance(part, np.ndarray):
            state.update(f"{part.dtype.str}{part.shape}".encode())
            state.update(np.ascontiguousarray(part).tobytes())
        elif isinstance(part, bytes):
            state.update(part)
        elif isinstance(part, (str, int, float, bool, type(None), np.generic)):
            state.update(repr(part).encode())
        elif isinstance(part, dict):
            for key in part:
                add(key)
                add(part[key])
        else:
            state.update(b"[")
            for item in part:
                add(item)
            state.update(b"]")

    add(value)
    return state.hexdigest()[:16]


def is_exact_operator(case: operator_cases.Case) -> bool:
    return case.args["op"] in EXACT_ARITHMETIC if case.op == "_arithmetic" else case.op not in CLOSE_OPERATORS


def inputs_hash() -> str:
    """Of what the operators' cases are given: NumPy's functions have made it."""
    return digest([[case.inputs, case.tensors] for case in operator_cases.CASES + image_cases.CASES])


def operators(threads: int) -> Iterator[tuple[str, bool, str]]:
    for group, cases in (("operator", operator_cases.CASES), ("image", image_cases.CASES)):
        for case in cases:
            found = operator_cases.run(forebay, case, threads)
            yield f"{group}: {case.name}", is_exact_operator(case), digest(found)


def sessions(threads: int, root: pathlib.Path) -> Iterator[tuple[str, bool, str]]:
    session_cases.make_data(root)
    for name in reader_cases.CASES:
        yield f"reader: {name}", True, digest(reader_cases.run(forebay, name, root / "readers", threads))
    (root / "epochs").mkdir()
    iterator_cases.make_data(root / "epochs")
    for case in iterator_cases.CASES:
        run = iterator_cases.run(forebay, NumpyIterator, LastBatchPolicy, case, root / "epochs", threads)
        yield f"iterator: {case.name}", True, digest(run)
    for name, make in session_cases.CASES.items():
        yield f"session: {name}", name not in CLOSE_SESSIONS, digest(list(make(root, threads)))


def without_words(found: Any) -> Any:
    """An outcome of `run_arrays` with the class alone of an error."""
    return found[1].split(":")[0] if found[0] == "error" else found


def arrays() -> Iterator[tuple[str, bool, str]]:
    """The number of workers is that of FOREBAY_ARRAY_WORKERS."""
    for name, found in run_arrays.results(nd, autograd).items():
        yield f"array: {name}", not OF_THE_MACHINE.search(name), digest(without_words(found))
    for name, values in network_cases.results(nd, autograd).items():
        yield f"network: {name}", False, digest(values)
    with contextlib.suppress(Exception):  # of the calls that are to fail
        nd.waitall()


def everything(threads: int, root: pathlib.Path) -> dict[str, dict[str, str]]:
    """{"exact": {name: hash}, "close": {name: hash}}, in a process with FOREBAY_ARRAY_WORKERS=`threads`."""
    if os.environ.get("FOREBAY_ARRAY_WORKERS") != str(threads):
        raise RuntimeError("the arrays' workers are set by FOREBAY_ARRAY_WORKERS before the process starts")
    found: dict[str, dict[str, str]] = {"exact": {}, "close": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in (operators(threads), sessions(threads, root), arrays()):
            for name, is_exact, value in part:
                kind = found["exact" if is_exact else "close"]
                if name in kind:
                    raise RuntimeError(f"two cases are called {name!r}")
                kind[name] = value
    return found
