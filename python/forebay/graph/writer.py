"""Writing a pipeline's graph: operators, feeds, functions and outputs are added one by one."""

from __future__ import annotations

import contextlib
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, cast

from .. import _core
from ..errors import InvalidError, UnknownDeviceError
from . import enumerations, expressions, scope
from .data_node import DataNode
from .places import Marks
from .sources import Feed, QueueFeed

if TYPE_CHECKING:
    from typing import Self

    from ..element_types import DALIDataType
    from .pipeline import Pipeline


Edge = tuple[int, int]


@dataclass(frozen=True)
class Recipe:
    """How an operator was added, so that another graph can add it, too. Edges are those of the graph that has it."""

    op: str
    name: str
    device: str
    inputs: list[Edge]
    constants: dict[str, Any]
    tensors: dict[str, Edge]
    guards: list[tuple[int, int, bool]]
    seed: int | None

    def sources(self) -> Iterator[int]:
        """The nodes that it depends on."""
        for node, *_ in (*self.inputs, *self.tensors.values(), *self.guards):
            yield node


class GraphWriter:
    """The part of a :class:`Pipeline` that makes its graph. Each addition is checked against the operator table.

    :param promises: output_dtype, output_ndim and output_layout of the pipeline, each for all outputs or a list.
    """

    _node_class = DataNode
    _has_conditionals = False
    _enable_checkpointing = False

    def __init__(self, promises: Mapping[str, Any]) -> None:
        self._promises = promises
        self._graph = _core.Graph()
        self._guards: list[tuple[int, int, bool]] = []  # of the branches being written: node, output, wanted
        self._marks = Marks()  # on objects of the definition
        self._feeds: dict[int, Feed] = {}
        self._functions: dict[int, Any] = {}
        self._counts: dict[str, int] = {}
        self._recipes: dict[int, Recipe] = {}
        self._enumerations: dict[int, DALIDataType] = {}  # of the operators whose elements are of one
        self._adopted: weakref.WeakKeyDictionary[GraphWriter, dict[int, list[DataNode]]] = weakref.WeakKeyDictionary()
        self._output_count: int | None = None
        self._output_enumerations: dict[int, DALIDataType] = {}
        self._session: Any = None  # made when the graph is complete

    @staticmethod
    def current() -> Pipeline | None:
        """The pipeline that is being written on this thread, or None."""
        return cast("Pipeline | None", scope.current())

    @staticmethod
    def push_current(pipeline: Pipeline) -> None:
        scope.push(pipeline)

    @staticmethod
    def pop_current() -> None:
        scope.pop()

    def __enter__(self) -> Self:
        scope.push(self)
        return self

    def __exit__(self, *_: object) -> None:
        scope.pop()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Makes this the pipeline being written, where it is not."""
        if scope.current() is self:
            yield
            return
        scope.push(self)
        try:
            yield
        finally:
            scope.pop()

    def _edges(self, op: str, nodes: Sequence[Any]) -> list[Edge]:
        for node in nodes:
            if not isinstance(node, DataNode):
                raise TypeError(f"{op}: an input is a DataNode, not {type(node).__name__}")
        return [self._own(node)._edge for node in nodes]

    def _own(self, node: DataNode) -> DataNode:
        """The node itself, or the one that stands here for a node of another graph: the operators that it comes from
        are added to this graph, too, each once."""
        other = node._pipeline
        if other is self:
            return node
        if node._node < 0:
            raise InvalidError(f"DataNode '{node.name}' was made by hand: no operator gives it")
        known = self._adopted.setdefault(other, {})
        wanted = [node._node]
        missing = set()
        while wanted:
            number = wanted.pop()
            if number not in known and number not in missing:
                missing.add(number)
                wanted.extend(other._recipe(number).sources())
        for number in sorted(missing):  # those that others depend on have lower numbers
            known[number] = self._add_alike(other, number, known)
        return known[node._node][node._output]

    def _recipe(self, number: int) -> Recipe:
        if number not in self._recipes:
            raise ValueError("a node of a pipeline that was read from a file cannot be used in another pipeline")
        return self._recipes[number]

    def _batch_node(self, value: Any) -> DataNode | None:
        """`value` as a batch of which each sample gets its part; None where it is one constant for all samples."""
        return None

    def _add_alike(self, other: GraphWriter, number: int, known: Mapping[int, list[DataNode]]) -> list[DataNode]:
        """Adds the operator that is `number` in the other graph; `known` are the nodes that stand for those it needs."""
        recipe = other._recipe(number)
        feed = other._feeds.get(number)
        return self._put(
            Recipe(
                recipe.op,
                recipe.name,
                recipe.device,
                [known[node][output]._edge for node, output in recipe.inputs],
                recipe.constants,
                {key: known[node][output]._edge for key, (node, output) in recipe.tensors.items()},
                [(*known[node][output]._edge, wanted) for node, output, wanted in recipe.guards],
                recipe.seed,
            ),
            feed.emptied() if isinstance(feed, QueueFeed) else feed,
            other._functions.get(number),
        )

    def _add(
        self,
        op: str,
        inputs: Sequence[DataNode],
        constants: Mapping[str, Any],
        tensors: Mapping[str, DataNode] | None = None,
        name: str | None = None,
        device: str | None = None,
        seed: int | None = None,
        guarded: bool = True,
        feed: Feed | None = None,
        function: Any = None,
    ) -> list[DataNode]:
        """Adds an operator and gives its outputs."""
        tensors = tensors or {}
        edges = self._edges(op, inputs)
        argument_edges = dict(zip(tensors, self._edges(op, list(tensors.values()))))
        if device is None:
            device = "gpu" if any(node.device == "gpu" for node in inputs) else "cpu"
        elif device not in ("cpu", "gpu", "mixed"):
            raise UnknownDeviceError(f"{op}: device={device!r} is not offered; 'cpu', 'gpu' and 'mixed' are known")
        guards = list(self._guards) if guarded else []
        recipe = Recipe(op, name or "", device, edges, dict(constants), argument_edges, guards, seed)
        return self._put(recipe, feed, function)

    def _put(self, recipe: Recipe, feed: Feed | None = None, function: Any = None) -> list[DataNode]:
        if self._session is not None:
            raise RuntimeError("the pipeline is built: operators can no longer be added")
        kind = enumerations.made_by(recipe, self._enumerations)
        number, count = self._graph.add(
            recipe.op, recipe.name, recipe.device, recipe.inputs, enumerations.stored(recipe.constants), recipe.tensors,
            recipe.guards, recipe.seed,
        )
        self._recipes[number] = recipe
        if kind is not None:
            self._enumerations[number] = kind
        if feed is not None:
            self._feeds[number] = feed
        if function is not None:
            self._functions[number] = function
        return self._nodes_of(recipe, number, count)

    def _nodes_of(self, recipe: Recipe, number: int, count: int) -> list[DataNode]:
        """The outputs of the operator that is `number`."""
        ordinal = self._counts[recipe.op] = self._counts.get(recipe.op, 0) + 1
        shown = recipe.name or f"__{recipe.op}_{ordinal}"
        where = "cpu" if recipe.device == "cpu" else "gpu"
        labels = [shown] if count == 1 else [f"{shown}[{i}]" for i in range(count)]
        guards = tuple(recipe.guards)
        return [
            self._node_class(label, where, recipe.op, i)._placed_in(self, number, guards) for i, label in enumerate(labels)
        ]

    def _add_transfer(self, node: DataNode, device: str) -> DataNode:
        op = "_copy_to_device" if device == "gpu" else "_copy_to_host"
        return self._add(op, [node], {}, device=device)[0]

    def _add_feed(self, feed: Feed, num_outputs: int, name: str | None) -> list[DataNode]:
        return self._add("external_source", [], {"num_outputs": num_outputs}, name=name, guarded=False, feed=feed)

    def _add_function(
        self, work: Any, inputs: Sequence[DataNode], num_outputs: int, batch: bool, name: str | None, preserve: bool
    ) -> list[DataNode]:
        constants = {"num_outputs": num_outputs, "batch_processing": batch, "preserve": preserve}
        return self._add("python_function", inputs, constants, name=name, function=work)

    def define_graph(self) -> Any:
        """For classes that derive from Pipeline: makes the graph and returns its outputs."""
        raise NotImplementedError("set_outputs() was not called, and define_graph() is not there")

    @staticmethod
    def _check_outputs(outputs: Sequence[Any]) -> None:
        for place, output in enumerate(outputs):
            if isinstance(output, (list, tuple, dict)) and any(map(expressions.is_node, output)):
                raise TypeError(f"output {place} is a {type(output).__name__} of DataNodes; unpack it with * to return each")

    def set_outputs(self, *outputs: Any) -> None:
        """Makes `outputs` what run() gives, in this order. Numbers and arrays become constants."""
        self._check_outputs(outputs)
        with self._writing():
            nodes = [expressions.as_node(output) for output in outputs]
        dtypes, ndims, layouts = (
            self._one_each(name, len(nodes)) for name in ("output_dtype", "output_ndim", "output_layout")
        )
        promises = [(None if dtype is None else int(dtype), ndim, layout or "") for dtype, ndim, layout in zip(dtypes, ndims, layouts)]
        self._graph.set_outputs(self._edges("set_outputs", nodes), promises)
        self._output_count = len(nodes)
        kinds = [enumerations.of(node) for node in nodes]
        self._output_enumerations = {place: kind for place, kind in enumerate(kinds) if kind is not None}

    def _one_each(self, name: str, count: int) -> list[Any]:
        """What is promised by this name of each output."""
        value = self._promises[name]
        if not isinstance(value, list):
            return [value] * count
        if len(value) != count:
            raise RuntimeError(f"{name} has {len(value)} entries for {count} outputs")
        return value


class LooseGraph(GraphWriter):
    """Operators called outside of any pipeline; they wait for one that uses their outputs."""

    def __init__(self) -> None:
        super().__init__({})


scope.set_loose(LooseGraph)
