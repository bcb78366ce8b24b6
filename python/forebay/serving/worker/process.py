"""The life of a model's process: it loads the model, then answers requests until the server closes the socket."""

import argparse
import ctypes
import faulthandler
import functools
import json
import logging
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from .declarations import Declarations
from .element_types import encode_bytes, numpy_type
from .faults import code_of, text_of
from .loading import LoadedModel, load_model
from .messages import Connection, TooLong, error_fields
from .slabs import InputSlab, OutputSlabs, Placed

_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = os.environ.get("FOREBAY_WORKER_PARENT")
    if parent is not None and int(parent) != os.getppid():
        sys.exit(1)


def _ignore_requests_to_stop() -> None:
    """Those who stop a service stop all its processes at once; the server answers first, and ends us after that.

    By handlers that do nothing, as processes that the model starts would go on to ignore what is ignored.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.signal(number, lambda *_: None)
        os.register_at_fork(after_in_child=functools.partial(signal.signal, number, before))


def _most_output_bytes() -> int | None:
    given = os.environ.get("FOREBAY_WORKER_SHARED_BYTES")
    return None if given is None else int(given)


def _ready(declarations: Declarations) -> dict[str, Any]:
    return {
        "kind": "ready",
        "platform": "python",
        "inputs": [declared.fields() for declared in declarations.inputs],
        "outputs": [declared.fields() for declared in declarations.outputs],
        "max_batch_size": declarations.max_batch_size,
    }


class Worker:
    """Answers requests for one model."""

    def __init__(self, connection: Connection, model: LoadedModel, file: str) -> None:
        self._connection = connection
        self._model = model
        self._file = file
        self._datatypes = {declared.name: declared.datatype for declared in model.declarations.outputs}
        self._inputs = InputSlab()
        self._outputs = OutputSlabs(_most_output_bytes())

    def say_ready(self) -> None:
        self._connection.send(_ready(self._model.declarations))

    def serve(self) -> None:
        while (received := self._connection.receive()) is not None:
            self._answer(*received)
        self._model.close()

    def _answer(self, message: dict[str, Any], descriptor: int | None) -> None:
        begun = time.monotonic_ns()
        if descriptor is not None:
            self._inputs.replace(descriptor, message["slab_bytes"])
        self._outputs.free(message["freed"])
        answer: dict[str, Any] = {"kind": "answer", "number": message["number"]}
        placed: Placed | None = None
        try:
            inputs = {one["name"]: self._inputs.array(one) for one in message["inputs"]}
            ready = time.monotonic_ns()
            given = self._model.infer(inputs, message["id"], message["outputs"], message["parameters"])
            computed = time.monotonic_ns()
            placed = self._place(given, message["outputs"])
            answer |= placed.fields
            answer |= {
                "input_ns": ready - begun,
                "compute_ns": computed - ready,
                "output_ns": time.monotonic_ns() - computed,
            }
        except Exception as error:  # whatever a model's code raises is the request's error
            traceback.print_exc()
            answer |= error_fields(code_of(error), text_of(error, self._file))
        self._say(answer | {"dropped": self._outputs.take_dropped()}, placed)

    def _say(self, answer: dict[str, Any], placed: Placed | None) -> None:
        try:
            self._connection.send(answer, placed.descriptor if placed else None)
        except TooLong as error:
            if placed is not None:
                self._outputs.take_back(placed)
            kept = {name: answer[name] for name in ("kind", "number", "dropped")}
            self._connection.send(kept | error_fields(error.code, str(error)))
        finally:
            if placed is not None and placed.descriptor is not None:
                os.close(placed.descriptor)

    def _place(self, given: dict[str, Any], asked: list[str]) -> Placed:
        names = [name for name in given if name in asked] if asked else list(given)
        return self._outputs.place([self._checked(name, given[name]) for name in names])

    def _checked(self, name: str, value: Any) -> tuple[str, str, tuple[int, ...], bytes | np.ndarray[Any, Any]]:
        datatype = self._datatypes.get(name)
        if datatype is None:
            raise ValueError(f"the model gave an output '{name}', and declares {', '.join(self._datatypes)}")
        if datatype == "BYTES":
            elements = np.asarray(value, dtype=object)
            return name, datatype, elements.shape, encode_bytes(elements)
        array = np.asarray(value)
        if array.dtype != numpy_type(datatype):
            wanted = numpy_type(datatype).name
            is_now = f"output '{name}' is {array.dtype.name}, and is declared {datatype}"
            raise TypeError(f"{is_now}: use .astype('{wanted}')")
        return name, datatype, array.shape, array


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The process of a model in Python; started by `forebay serve`")
    parser.add_argument("--model", required=True, help="the file model.py")
    parser.add_argument("--name", default="model")
    parser.add_argument("--version", default="1")
    parser.add_argument("--config", default="{}", help="the model's configuration as JSON")
    return parser.parse_args()


def main() -> int:
    """Returns the process's exit code."""
    _ignore_requests_to_stop()
    _die_with_parent()
    faulthandler.enable()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    arguments = _arguments()
    connection = Connection()
    try:
        model = load_model(arguments.model, json.loads(arguments.config), arguments.name, arguments.version)
    except Exception as error:  # a model may fail to load in any way; the server is told
        traceback.print_exc()
        text = text_of(error, str(Path(arguments.model).resolve()))
        connection.send({"kind": "failed"} | error_fields(code_of(error), f"{arguments.model}: {text}"))
        return 1
    worker = Worker(connection, model, str(Path(arguments.model).resolve()))
    try:
        worker.say_ready()
    except TooLong as error:
        connection.send({"kind": "failed"} | error_fields(error.code, f"{arguments.model}: its {error}"))
        return 1
    worker.serve()
    return 0
