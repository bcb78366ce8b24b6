"""What :meth:`Pipeline.serialize` writes: JSON of a graph, of what its sources promise, and of the pipeline's arguments.

It is read with the care that bytes from outside ask for: whatever is in them, they are read or InvalidError.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Callable, Mapping

from .. import _core
from ..errors import InvalidError
from ..types import DALIDataType
from .pipeline_arguments import checked_promises
from .sources import Feed, OutputForm, QueueFeed

if TYPE_CHECKING:
    from .saved_pipeline import SavedPipeline

MAX_CONSTANT = 1 << 24
"""Elements of a constant of which one is written down for all."""


Check = Callable[[Any], bool]


def _whole(least: int, most: int) -> Check:
    return lambda value: type(value) is int and least <= value <= most


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_NUMBER = _whole(-(1 << 63), (1 << 63) - 1)
_SMALL = _whole(-(1 << 31), (1 << 31) - 1)
_DEPTH = _whole(1, 1 << 16)


def _is_promise(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(each is None or isinstance(each, str) or _SMALL(each) for each in values)


def _is_depth(value: Any) -> bool:
    return _DEPTH(value) or isinstance(value, dict) and all(map(_DEPTH, value.values()))


_ARGUMENTS: dict[str, Check] = {
    "batch_size": _or_none(_whole(1, (1 << 31) - 1)),
    "num_threads": _or_none(_whole(1, 1 << 16)),
    "device_id": _or_none(_SMALL),
    "seed": _or_none(_NUMBER),
    "prefetch_queue_depth": _is_depth,
    "on_error": lambda value: value in ("raise", "skip", "replace"),
    "memory_limit": _whole(0, (1 << 63) - 1),
    "output_dtype": _is_promise,
    "output_ndim": _is_promise,
    "output_layout": _is_promise,
}
"""What is saved of a pipeline's arguments, and what is such a value."""

_NOT_ONE = "these are not the bytes that Pipeline.serialize() gave"


def _form_of(row: Any) -> OutputForm:
    layout, dtype, ndim = (row.get(name) for name in ("layout", "dtype", "ndim"))
    if not (_or_none(_is_text)(layout) and _or_none(_SMALL)(dtype) and _or_none(_SMALL)(ndim)):
        raise InvalidError(f"{_NOT_ONE}: a source promises {row!r}")
    return OutputForm(layout, None if dtype is None else DALIDataType(dtype), ndim)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def check_constant(arguments: Mapping[str, Any]) -> None:
    """A constant is made when it is added to a graph; a shape that is damaged shall take no memory. InvalidError."""
    if "shape" not in arguments:
        return
    count = max(len(_list(arguments[name])) for name in ("fdata", "idata") if name in arguments)
    volume = math.prod(_list(arguments["shape"]))
    if volume > max(count, MAX_CONSTANT):
        raise InvalidError(f"a constant has {volume} elements of {count} values; at most {MAX_CONSTANT} are read")


def _check_constants(graph: Any) -> None:
    for node in graph["nodes"]:
        if node["op"] == "constant":
            check_constant(node.get("constants", {}))


class OwnFile:
    """What :meth:`SavedPipeline.serialize` wrote."""

    def __init__(self, serialized: str | bytes | bytearray) -> None:
        try:
            content = json.loads(serialized)
        except (ValueError, RecursionError) as error:
            raise InvalidError(_NOT_ONE) from error
        if not isinstance(content, dict) or not content.keys() >= {"graph", "arguments"}:
            raise InvalidError(_NOT_ONE)
        self.arguments: Mapping[str, Any] = self._checked(content["arguments"])
        self._graph = content["graph"]
        self._sources = content.get("sources", [])

    @staticmethod
    def _checked(arguments: Any) -> dict[str, Any]:
        if not isinstance(arguments, dict):
            raise InvalidError(f"{_NOT_ONE}: its arguments are no object")
        for name, value in arguments.items():
            if name not in _ARGUMENTS:
                raise InvalidError(f"{_NOT_ONE}, or a later version did: its pipeline has an argument '{name}'")
            if not _ARGUMENTS[name](value):
                raise InvalidError(f"{_NOT_ONE}: '{name}' of its pipeline is {value!r}")
        try:
            checked_promises(**{name: arguments.get(name) for name in ("output_dtype", "output_ndim", "output_layout")})
        except (TypeError, ValueError) as error:
            raise InvalidError(f"{_NOT_ONE}: {error}") from error
        return arguments

    def put_into(self, pipeline: SavedPipeline) -> None:
        """InvalidError where the graph, or what its sources promise, is none."""
        try:
            _check_constants(self._graph)
            graph = _core.Graph.from_json(json.dumps(self._graph))
            forms = {row["node"]: (_form_of(row), bool(row.get("repeat_last"))) for row in self._sources}
        except InvalidError:
            raise
        except Exception as error:
            raise InvalidError(f"{_NOT_ONE}: {error}") from error
        feeds: dict[int, Feed] = {}
        for number, node in enumerate(graph.nodes()):
            if node["op"] == "external_source":
                form, repeats = forms.get(number, (OutputForm(), False))
                feeds[number] = QueueFeed(form, repeats)
        pipeline._take_graph(graph, feeds)


def written(pipeline: SavedPipeline, arguments: Mapping[str, Any]) -> bytes:
    """The bytes of `pipeline`, the same for equal ones. InvalidError, which names the operator, where it holds a Python
    function. Sources are written as ones that are fed by hand."""
    graph = json.loads(pipeline._graph.to_json())
    names = [node.get("name") or node["op"] for node in graph["nodes"]]
    for number in sorted(pipeline._functions):
        raise InvalidError(f"'{names[number]}' calls a Python function, which cannot be saved: leave it out")
    sources = [{"node": number, **row} for number, feed in sorted(pipeline._feeds.items()) if (row := feed.saved())]
    content: dict[str, Any] = {"graph": graph, "arguments": dict(arguments)}
    if sources:
        content["sources"] = sources
    return json.dumps(content).encode()
