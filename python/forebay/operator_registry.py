"""What `forebay.ops` has beside its operators: chains of them, and sets of their names, which plugins may add to."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

from .graph.data_node import DataNode

__all__ = [
    "Compose",
    "Reload",
    "cpu_ops",
    "gpu_ops",
    "mixed_ops",
    "python_op_factory",
    "register_cpu_op",
    "register_gpu_op",
]

_registered: dict[str, set[str]] = {"cpu": set(), "gpu": set()}
_own: set[str] = set()
_classes: list[Any] = []  # the module that holds them


def know(module: Any, names: Iterable[str]) -> None:
    """Tells of the library's operators: the module `ops`, and the names of its classes: "Resize", "readers.File"."""
    _classes.append(module)
    know_names(names)


def know_names(names: Iterable[str]) -> None:
    """Tells of further classes in that module."""
    _own.update(name.replace(".", "__") for name in names)


class _Chain:
    """Operators called one on the outputs of the other."""

    def __init__(self, operators: Sequence[Callable[..., Any]]) -> None:
        self._operators = list(operators)

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        """`arguments` are of the first operator."""
        values = list(inputs)
        for operator in self._operators:
            if getattr(operator, "device", None) == "gpu":
                values = [value.gpu() if isinstance(value, DataNode) else value for value in values]
            result = operator(*values, **arguments)
            arguments = {}
            values = list(result) if isinstance(result, (tuple, list)) else [result]
        return values[0] if len(values) == 1 else values


def Compose(op_list: Sequence[Callable[..., Any]]) -> Callable[..., Any]:  # noqa: N802 (a name of DALI's)
    """One operator of several: each gets what the one before gives, moved to the GPU where it runs there."""
    if not op_list:
        raise ValueError("ops.Compose needs at least one operator")
    for operator in op_list:
        if not callable(operator):
            raise TypeError(f"ops.Compose takes operators; {operator!r} cannot be called")
    return op_list[0] if len(op_list) == 1 else _Chain(op_list)


def cpu_ops() -> set[str]:
    """The names of all operators, and of those registered: "Resize", "readers__File"."""
    return _own | _registered["cpu"]


def gpu_ops() -> set[str]:
    """The names registered for GPUs. Which of the library's operators run there is decided when a graph is compiled."""
    return set(_registered["gpu"])


def mixed_ops() -> set[str]:
    """The decoders: operators that take from host memory and may give to a GPU's."""
    return {name for name in _own if name.startswith("decoders__")}


def register_cpu_op(name: str) -> None:
    """Adds a name to :func:`cpu_ops`."""
    _registered["cpu"].add(str(name))


def register_gpu_op(name: str) -> None:
    """Adds a name to :func:`gpu_ops`."""
    _registered["gpu"].add(str(name))


def Reload() -> None:  # noqa: N802 (a name of DALI's)
    """Does nothing: the operators of a library are there once it is loaded."""


def python_op_factory(
    name: str, schema_name: str | None = None, internal_schema_name: str | None = None, generated: bool = True
) -> Any:
    """The class of `ops` for a name as :func:`cpu_ops` gives it, or of the form "readers.File"."""
    target = _classes[0]
    for part in (schema_name or name).replace("__", ".").split("."):
        target = getattr(target, part)
    return target
