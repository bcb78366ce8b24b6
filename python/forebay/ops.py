"""Operators as objects: ``ops.Resize(size=224)`` makes one, calling it adds it to the pipeline.

The older of DALI's two interfaces. Names are those of `fn` in CamelCase: ``ops.readers.File``, ``ops.ExternalSource``.
"""

from __future__ import annotations

import sys
import types as python_types
from typing import Any, Callable

from . import fn
from .fn import generate


class OperatorObject:
    """An operator with some of its arguments set; the others are given when it is called."""

    _function: Callable[..., Any]

    def __init__(self, **arguments: Any) -> None:
        self._arguments = arguments

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        return type(self)._function(*inputs, **{**self._arguments, **arguments})


class PythonFunction(OperatorObject):
    """`fn.python_function` as an object."""

    _function = staticmethod(fn.python_function)

    def __init__(self, function: Callable[..., Any], num_outputs: int = 1, **arguments: Any) -> None:
        super().__init__(function=function, num_outputs=num_outputs, **arguments)


class ExternalSource(OperatorObject):
    """`fn.external_source` as an object."""

    _function = staticmethod(fn.external_source)

    def __init__(self, source: Any = None, num_outputs: int | None = None, **arguments: Any) -> None:
        super().__init__(source=source, num_outputs=num_outputs, **arguments)


def _camel(name: str) -> str:
    return "".join("TFRecord" if part == "tfrecord" else part.capitalize() for part in name.split("_"))


def _resolve(path: str) -> Callable[..., Any]:
    target: Any = fn
    for part in path.split("."):
        target = getattr(target, part)
    return target  # type: ignore[no-any-return]


def _add(namespace: dict[str, Any], name: str, path: str) -> None:
    function = _resolve(path)
    members = {"_function": staticmethod(function), "__doc__": function.__doc__}
    namespace[name] = type(name, (OperatorObject,), members)


def _add_all() -> None:
    available = {row["name"] for row in generate.table()}
    for path in sorted(available):
        *folders, short = path.split(".")
        namespace = globals()
        name = __name__
        for folder in folders:
            name = f"{name}.{folder}"
            if name not in sys.modules:
                sys.modules[name] = namespace[folder] = python_types.ModuleType(name)
            namespace = vars(sys.modules[name])
        _add(namespace, _camel(short), path)
    for old, path in generate.OLD_NAMES.items():
        _add(globals(), _camel(old), path)


_add_all()
