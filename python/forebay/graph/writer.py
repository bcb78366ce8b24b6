"""Writing a pipeline's graph: operators, feeds, functions and outputs are added one by one."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, cast

from .. import _core
from . import expressions, scope
from .data_node import DataNode
from .sources import Feed

if TYPE_CHECKING:
    from typing import Self

    from .pipeline import Pipeline


class GraphWriter:
    """The part of a :class:`Pipeline` that makes its graph. Each addition is checked against the operator table.

    :param promises: output_dtype, output_ndim and output_layout of the pipeline, each for all outputs or a list.
    """

    def __init__(self, promises: Mapping[str, Any]) -> None:
        self._promises = promises
        self._graph = _core.Graph()
        self._guards: list[tuple[int, int, bool]] = []  # of the branches being written: node, output, wanted
        self._feeds: dict[int, Feed] = {}
        self._functions: dict[int, Any] = {}
        self._counts: dict[str, int] = {}
        self._output_count: int | None = None
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

    def _edges(self, op: str, nodes: Sequence[Any]) -> list[tuple[int, int]]:
        for node in nodes:
            if not isinstance(node, DataNode):
                raise TypeError(f"{op}: an input is a DataNode, not {type(node).__name__}")
            if node._pipeline is not self:
                raise ValueError(f"{op}: the input '{node.name}' belongs to another pipeline")
        return [node._edge for node in nodes]

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
    ) -> list[DataNode]:
        """Adds an operator and gives its outputs."""
        if self._session is not None:
            raise RuntimeError("the pipeline is built: operators can no longer be added")
        tensors = tensors or {}
        edges = self._edges(op, inputs)
        argument_edges = dict(zip(tensors, self._edges(op, list(tensors.values()))))
        if device is None:
            device = "gpu" if any(node.device == "gpu" for node in inputs) else "cpu"
        guards = list(self._guards) if guarded else []
        number, count = self._graph.add(
            op, name or "", device, edges, dict(constants), argument_edges, guards, seed
        )
        ordinal = self._counts[op] = self._counts.get(op, 0) + 1
        shown = name or f"__{op}_{ordinal}"
        where = "cpu" if device == "cpu" else "gpu"
        labels = [shown] if count == 1 else [f"{shown}[{i}]" for i in range(count)]
        return [DataNode(self, number, i, label, where, op, tuple(guards)) for i, label in enumerate(labels)]

    def _add_transfer(self, node: DataNode, device: str) -> DataNode:
        op = "_copy_to_device" if device == "gpu" else "_copy_to_host"
        return self._add(op, [node], {}, device=device)[0]

    def _add_feed(self, feed: Feed, num_outputs: int, name: str | None) -> list[DataNode]:
        nodes = self._add("external_source", [], {"num_outputs": num_outputs}, name=name, guarded=False)
        self._feeds[nodes[0]._node] = feed
        return nodes

    def _add_function(
        self, work: Any, inputs: Sequence[DataNode], num_outputs: int, batch: bool, name: str | None, preserve: bool
    ) -> list[DataNode]:
        constants = {"num_outputs": num_outputs, "batch_processing": batch, "preserve": preserve}
        number = self._graph.size()
        nodes = self._add("python_function", inputs, constants, name=name)
        self._functions[number] = work
        return nodes

    def define_graph(self) -> Any:
        """For classes that derive from Pipeline: makes the graph and returns its outputs."""
        raise NotImplementedError("set_outputs() was not called, and define_graph() is not there")

    def set_outputs(self, *outputs: Any) -> None:
        """Makes `outputs` what run() gives, in this order. Numbers and arrays become constants."""
        with self._writing():
            nodes = [expressions.as_node(output) for output in outputs]
        dtypes, ndims, layouts = (
            self._one_each(name, len(nodes)) for name in ("output_dtype", "output_ndim", "output_layout")
        )
        promises = [(None if dtype is None else int(dtype), ndim, layout or "") for dtype, ndim, layout in zip(dtypes, ndims, layouts)]
        self._graph.set_outputs(self._edges("set_outputs", nodes), promises)
        self._output_count = len(nodes)

    def _one_each(self, name: str, count: int) -> list[Any]:
        """What is promised by this name of each output."""
        value = self._promises[name]
        if not isinstance(value, list):
            return [value] * count
        if len(value) != count:
            raise RuntimeError(f"{name} has {len(value)} entries for {count} outputs")
        return value
