"""Pickles functions that have no name to import them by: lambdas, functions in functions, and those of a script. They
travel with their code, what they close over, and the globals that they use."""

from __future__ import annotations

import builtins
import importlib
import io
import marshal
import pickle
import types
from typing import Any, Callable

__all__ = ["dumps", "loads", "pickle_by_value"]

_BY_VALUE = "_forebay_pickled_by_value"


def pickle_by_value(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function that worker processes cannot import: it is sent with its code."""
    setattr(function, _BY_VALUE, True)
    return function


def _travels_by_value(function: types.FunctionType) -> bool:
    name = function.__qualname__
    return "<lambda>" in name or "<locals>" in name or function.__module__ == "__main__" or hasattr(function, _BY_VALUE)


def _global_names(code: types.CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*(_global_names(each) for each in inner))


def _make(code: bytes, module: str, name: str, cells: int) -> types.FunctionType:
    """A function whose globals, defaults and closure are filled in later: they may refer to it."""
    namespace = {"__builtins__": builtins, "__name__": module}
    closure = tuple(types.CellType() for _ in range(cells))
    return types.FunctionType(marshal.loads(code), namespace, name, None, closure)


def _fill(function: types.FunctionType, state: dict[str, Any]) -> None:
    function.__globals__.update(state["globals"])
    function.__defaults__ = state["defaults"]
    function.__kwdefaults__ = state["kwdefaults"]
    function.__qualname__ = state["qualname"]
    function.__dict__.update(state["attributes"])
    for cell, content in zip(function.__closure__ or (), state["closure"]):
        if content:
            cell.cell_contents = content[0]


def _content(cell: types.CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # not assigned yet
        return []


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if not isinstance(value, types.FunctionType) or not _travels_by_value(value):
            return NotImplemented
        names = _global_names(value.__code__)
        closure = value.__closure__ or ()
        state = {
            "globals": {name: value.__globals__[name] for name in names if name in value.__globals__},
            "defaults": value.__defaults__,
            "kwdefaults": value.__kwdefaults__,
            "qualname": value.__qualname__,
            "attributes": value.__dict__,
            "closure": [_content(cell) for cell in closure],
        }
        made_of = (marshal.dumps(value.__code__), value.__module__ or "", value.__name__, len(closure))
        return _make, made_of, state, None, None, _fill


def dumps(value: Any) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


def loads(data: bytes) -> Any:
    return pickle.loads(data)
