"""Runs a Python file that defines a pipeline, in a process that does nothing else: what the file imports, and the names
`nvidia.dali` and `mxnet`, which are Forebay's there, stay out of the process that asks."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import traceback
import types

from ... import compat
from ...errors import InvalidError
from .definition import definition_in, pipeline_of

REFUSED = 3
"""The status of the process where the file gives no pipeline; what is written is then why."""


def _name_of(path: str) -> str:
    """That of the module: its imports shall not find it in place of another."""
    stem = os.path.splitext(os.path.basename(path))[0]
    return f"served_{stem}" if stem in sys.modules or stem in sys.stdlib_module_names or not stem.isidentifier() else stem


def _load(path: str) -> types.ModuleType:
    name = _name_of(path)
    loader = importlib.machinery.SourceFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, os.path.dirname(path))
    loader.exec_module(module)
    return module


def _line(error: BaseException, path: str) -> int | None:
    """The line of the file where it happened."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else None


def _explained(error: BaseException, path: str) -> str:
    line = _line(error, path)
    where = "" if line is None else f"line {line}: "
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    kind = "" if isinstance(error, InvalidError) and line is None else type(error).__name__
    return f"{where}{kind}{': ' if kind and what else ''}{what}"


def serialized(path: str) -> bytes:
    """The bytes of the file's pipeline. InvalidError, which names the line where there is one."""
    compat.install()
    sys.dont_write_bytecode = True
    sys.argv = [path]
    try:
        return pipeline_of(definition_in(_load(path))).serialize()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also what ends a script
        raise InvalidError(f"{path}: {_explained(error, path)}") from error


def main(path: str, output: str) -> int:
    """Writes the bytes, or what is wrong, to `output`; returns the status of the process."""
    try:
        content, status = serialized(path), 0
    except InvalidError as error:
        content, status = str(error).encode(errors="backslashreplace"), REFUSED
    with open(output, "wb") as file:
        file.write(content)
    return status
