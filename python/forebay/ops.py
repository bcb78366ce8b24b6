"""Operators as objects: ``ops.Resize(size=224)`` makes one, calling it adds it to the pipeline.

The older of DALI's two interfaces. Names are those of `fn` in CamelCase: ``ops.readers.File``, ``ops.ExternalSource``.
"""

from __future__ import annotations

from typing import Any, Callable

from . import fn
from .fn import generate
from .suggestions import refuse_unknown


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


def _name_of(path: str) -> str:
    """As an object: "readers.File" of "readers.file"."""
    folders, dot, short = path.rpartition(".")
    return folders + dot + _camel(short)


_NAMES = [_name_of(path) for path in generate.operator_names()]


def _add_all() -> None:
    for path in sorted(str(row["name"]) for row in generate.table()):
        folder, _, short = path.rpartition(".")
        namespace = globals()
        if folder:
            __all__.append(folder)
            namespace = vars(generate.submodule(__name__, folder, namespace, _NAMES))
        namespace["__all__"].append(_camel(short))
        _add(namespace, _camel(short), path)
    for old, path in generate.OLD_NAMES.items():
        __all__.append(_camel(old))
        _add(globals(), _camel(old), path)


__all__ = ["ExternalSource", "PythonFunction"]
_add_all()
__getattr__ = refuse_unknown("ops", "operator", _NAMES)


def __dir__() -> list[str]:
    return sorted(set(__all__))
