"""Operators as objects: ``ops.Resize(size=224)`` makes one, calling it adds it to the pipeline.

The older of DALI's two interfaces. Names are those of `fn` in CamelCase: ``ops.readers.File``, ``ops.ExternalSource``.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

from . import fn
from .errors import InvalidError, UnknownArgumentError
from .fn import deprecations, generate
from .fn.absent_names import refuse_operator
from .fn.schema import OpSchema, OpSpec, Row
from .operator_registry import (
    Compose as Compose,
    Reload as Reload,
    cpu_ops as cpu_ops,
    gpu_ops as gpu_ops,
    know,
    know_names,
    mixed_ops as mixed_ops,
    python_op_factory as python_op_factory,
    register_cpu_op as register_cpu_op,
    register_gpu_op as register_gpu_op,
)


class OperatorObject:
    """An operator with some of its arguments set; the others are given when it is called."""

    _function: Callable[..., Any]
    _schema: OpSchema | None = None
    _newer_name: str | None = None  # of one that is called by an older name

    def __init__(self, **arguments: Any) -> None:
        if self._newer_name is not None:
            deprecations.warn(f"`ops.{type(self).__name__}` is now deprecated. Use `ops.{self._newer_name}` instead.")
        unknown = [name for name in arguments if not self._takes(name)]
        if unknown:
            raise UnknownArgumentError(f"ops.{type(self).__name__} has no argument '{unknown[0]}'")
        self._arguments = {name: value for name, value in arguments.items() if value is not None}

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        given = {name: value for name, value in arguments.items() if value is not None}
        for name in given.keys() & self._arguments.keys() - {"name"}:
            raise InvalidError(f"The argument `{name}` was already specified in __init__.")
        return type(self)._function(*inputs, **{**self._arguments, **given})

    @classmethod
    def _takes(cls, name: str) -> bool:
        return cls._schema is None or cls._schema.HasArgument(name) or name in generate.COMMON_ARGUMENTS

    @property
    def device(self) -> str:
        """Where it works: "cpu" unless it was made for another."""
        return str(self._arguments.get("device", "cpu"))

    @property
    def schema(self) -> OpSchema | None:
        """What the operator table says of it; None for those that are not in it."""
        return self._schema

    @property
    def schema_name(self) -> str:
        return type(self).__name__ if self._schema is None else self._schema.Name()

    @property
    def spec(self) -> OpSpec | None:
        """The arguments that it was made with."""
        return None if self._schema is None else OpSpec(self._schema, self.device, self._arguments)

    @property
    def preserve(self) -> bool:
        return bool(self._arguments.get("preserve", False))


class PythonFunction(OperatorObject):
    """`fn.python_function` as an object."""

    _function = staticmethod(fn.python_function)

    def __init__(self, function: Callable[..., Any], num_outputs: int = 1, **arguments: Any) -> None:
        super().__init__(function=function, num_outputs=num_outputs, **arguments)


class DLTensorPythonFunction(OperatorObject):
    """`fn.dl_tensor_python_function` as an object."""

    _function = staticmethod(fn.dl_tensor_python_function)

    def __init__(self, function: Callable[..., Any], num_outputs: int = 1, **arguments: Any) -> None:
        super().__init__(function=function, num_outputs=num_outputs, **arguments)


class ExternalSource(OperatorObject):
    """`fn.external_source` as an object."""

    _function = staticmethod(fn.external_source)

    def __init__(self, source: Any = None, num_outputs: int | None = None, **arguments: Any) -> None:
        super().__init__(source=source, num_outputs=num_outputs, **arguments)


_CAPITALS = {
    "bbox": "BBox",
    "coco": "COCO",
    "dl": "DL",
    "mds": "MDS",
    "mfcc": "MFCC",
    "mxnet": "MXNet",
    "rms": "RMS",
    "roi": "ROI",
    "ssd": "SSD",
    "tfrecord": "TFRecord",
}
"""Words of operators' names that do not just begin with a capital letter."""


def _camel(name: str) -> str:
    return "".join(_CAPITALS.get(part, part[:1].upper() + part[1:]) for part in name.split("_"))


def function_at(path: str) -> Callable[..., Any]:
    """The function of that path in `fn`."""
    target: Any = fn
    for part in path.split("."):
        target = getattr(target, part)
    return target  # type: ignore[no-any-return]


def _class_of(name: str, path: str) -> type[OperatorObject]:
    """The class `name` for the function that is at `path` in `fn`."""
    function = function_at(path)
    row = next(row for row in generate.table() if row["name"] == path)
    members = {"_function": staticmethod(function), "__doc__": function.__doc__, "_schema": OpSchema(row, name)}
    if name != class_path_of(path):
        members["_newer_name"] = class_path_of(path)
    return type(name.rpartition(".")[2], (OperatorObject,), members)


def class_path_of(path: str) -> str:
    """As an object: "readers.File" of "readers.file"."""
    folders, dot, short = path.rpartition(".")
    return folders + dot + _camel(short)


def schema_name_of(path: str) -> str:
    """As DALI's schemas are named: "readers__File" of "readers.file"."""
    return class_path_of(path).replace(".", "__")


_NAMES = [class_path_of(path) for path in generate.operator_names()]
__all__ = ["Compose", "DLTensorPythonFunction", "ExternalSource", "PythonFunction"]


def _add_all() -> None:
    paths = {str(row["name"]): str(row["name"]) for row in generate.table()}
    for path, operator in {**paths, **generate.old_names()}.items():
        name = class_path_of(path)
        made = _class_of(name, operator)
        made.__module__ = generate.put(__name__, globals(), name, made, _NAMES)


def add(row: Row) -> None:
    """Adds the class of an operator that a library has added to `fn`."""
    path = str(row["name"])
    name = class_path_of(path)
    made = _class_of(name, path)
    made.__module__ = generate.put(__name__, globals(), name, made, _NAMES)
    _NAMES.append(name)
    know_names([name])


def schemas() -> dict[str, OpSchema]:
    """What the table says of each operator, by the name of its class in DALI: "readers__File"."""
    made = (OpSchema(row, class_path_of(str(row["name"]))) for row in generate.table())
    return {schema.Name(): schema for schema in made}


def schema_of_old_name(name: str) -> OpSchema | None:
    """What the table says of the operator that has this older name in DALI: "CoinFlip" of "random__CoinFlip"."""
    for old, newer in generate.old_names().items():
        if schema_name_of(old) == name:
            row = next((row for row in generate.table() if row["name"] == newer), None)
            return None if row is None else OpSchema(row, class_path_of(old), class_path_of(newer))
    return None


_add_all()
know(sys.modules[__name__], _NAMES)
__getattr__ = refuse_operator("ops", _NAMES)


def __dir__() -> list[str]:
    return sorted(__all__)
