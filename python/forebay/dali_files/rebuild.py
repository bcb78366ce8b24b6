"""A pipeline of DALI's file is written again, operator by operator, as a script would.

Branches: DALI splits every tensor that a branch uses, by the predicate, and merges what the branches give. Here each
part of a split is a copy, which shares memory and has a guard; operators on it have the same guards.

Devices are as in the file, so a pipeline that works on a GPU is one here, too. DALI writes down no copies between CPU
and GPU: a tensor that is made on one device and taken on the other has the same name on both.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Sequence

from .. import ops
from ..errors import InvalidError
from ..fn import generate
from ..graph import branches
from ..graph.data_node import DataNode
from ..graph.external_source import external_source
from ..graph.own_file import check_constant
from ..graph.writer import GraphWriter
from ..types import NO_TYPE, DALIDataType
from .expressions import Expression
from .pipeline_file import Operator, PipelineFile, Tensor

MAX_GUARDS = 64
"""Branches inside of branches."""

Guards = tuple[tuple[int, int, bool], ...]
Inputs = list[DataNode]
Tensors = dict[str, DataNode]


def _paths() -> dict[str, str]:
    """Where in `fn` the operator of a schema is: "readers.file" of "readers__File". `_Shape` is what `node.shape()` is."""
    known = {str(row["name"]): str(row["name"]) for row in generate.table()}
    paths = {ops.schema_name_of(name): path for name, path in {**known, **generate.old_names()}.items()}
    return {**paths, "_Shape": "shapes"}


class Rebuilding:
    """Adds the operators of one file to `pipeline`."""

    def __init__(self, pipeline: GraphWriter) -> None:
        self._pipeline = pipeline
        self._paths = _paths()
        self._nodes: dict[str, DataNode] = {}  # by the names that DALI gave them
        self._copies: dict[str, DataNode] = {}  # of them, on the other device
        self._conditions: dict[tuple[int, int], DataNode] = {}  # of predicates

    def add(self, operator: Operator) -> None:
        """InvalidError, which names the operator, where it cannot be had."""
        try:
            outputs = self._outputs_of(operator)
            if len(outputs) != len(operator.outputs):
                raise InvalidError(f"it gives {len(outputs)} outputs here, not {len(operator.outputs)}")
        except Exception as error:
            raise InvalidError(f"{operator.shown()} of a pipeline that DALI saved: {error}") from error
        for tensor, node in zip(operator.outputs, outputs):
            if tensor.name in self._nodes:
                raise InvalidError(f"{operator.shown()} gives '{tensor.name}', which another one gives, too")
            self._nodes[tensor.name] = node

    def node(self, tensor: Tensor) -> DataNode:
        """What stands for a tensor of the file, on the device where it is wanted."""
        if tensor.device not in ("cpu", "gpu"):
            raise InvalidError(f"its tensor '{tensor.name}' is on the device '{tensor.device}', which is none")
        if tensor.name not in self._nodes:
            raise InvalidError(f"no operator before it gives its tensor '{tensor.name}'")
        node = self._nodes[tensor.name]
        if node.device == tensor.device:
            return node
        if tensor.name not in self._copies:
            with self._inside(node._guards):
                self._copies[tensor.name] = node.gpu() if tensor.device == "gpu" else node.cpu()
        return self._copies[tensor.name]

    def _outputs_of(self, operator: Operator) -> list[DataNode]:
        arguments = dict(operator.arguments)
        inputs = [self.node(tensor) for tensor in operator.inputs if not tensor.argument]
        tensors = {tensor.argument: self.node(tensor) for tensor in operator.inputs if tensor.argument}
        special = _SPECIAL.get(operator.schema.lstrip("_"))
        asked = [tensors["predicate"]] if "predicate" in tensors else [*inputs, *tensors.values()]
        with self._inside(_guards_of(asked)):
            if special is not None:
                return special(self, operator, inputs, {**arguments, **tensors})
            return self._call(operator, inputs, {**arguments, **tensors})

    @contextlib.contextmanager
    def _inside(self, guards: Guards) -> Iterator[None]:
        """Operators that are added meanwhile have these guards."""
        if len(guards) > MAX_GUARDS:
            raise InvalidError(f"it is inside of {len(guards)} branches; at most {MAX_GUARDS} are read")
        kept = self._pipeline._guards
        self._pipeline._guards = list(guards)
        try:
            yield
        finally:
            self._pipeline._guards = kept

    def _call(self, operator: Operator, inputs: Inputs, arguments: dict[str, Any]) -> list[DataNode]:
        path = self._paths.get(operator.schema)
        if path is None:
            what = "a Python function, which is in no file" if "Function" in operator.schema else "an operator that is not here"
            raise InvalidError(f"it is {what}")
        given = _public(arguments)
        if given.pop("preserve_name", False):
            given["name"] = operator.name
        if path == "constant":
            check_constant(given)
        result = generate.call(path, *inputs, **given)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def _tfrecord(self, operator: Operator, _: Inputs, arguments: dict[str, Any]) -> list[DataNode]:
        names = arguments.pop("feature_names")
        features = dict(zip(names, arguments.pop("features"), strict=True))
        given = _public(arguments)
        name = operator.name if given.pop("preserve_name", False) else None
        result = generate.call("readers.tfrecord", features=features, name=name, **given)
        return [result[name] for name in names]

    def _source(self, operator: Operator, _: Inputs, arguments: dict[str, Any]) -> list[DataNode]:
        """It has the name that DALI gave it, so that it can be fed."""
        device = arguments.get("device", "cpu")
        if device not in ("cpu", "gpu"):
            raise InvalidError(f"a source on the device '{device}' cannot be had")
        dtype = arguments.get("dtype", NO_TYPE)
        ndim = arguments.get("ndim", -1)
        node = external_source(
            name=operator.name,
            layout=arguments.get("layout") or None,
            dtype=None if dtype == NO_TYPE else DALIDataType(dtype),
            ndim=None if ndim < 0 else ndim,
            repeat_last=arguments.get("repeat_last", False),
            device=device,
        )
        assert isinstance(node, DataNode)
        return [node]

    def _arithmetic(self, _: Operator, inputs: Inputs, arguments: dict[str, Any]) -> list[DataNode]:
        constants = [arguments.get(name, []) for name in ("integer_constants", "real_constants")]
        return [Expression(arguments["expression_desc"], inputs, *constants).build()]

    def _subscript(self, _: Operator, inputs: Inputs, arguments: dict[str, Any]) -> list[DataNode]:
        given = {name: value for name, value in _public(arguments).items() if name not in ("preserve_name", "device")}
        tensors = {name: value for name, value in given.items() if isinstance(value, DataNode)}
        constants = {name: value for name, value in given.items() if name not in tensors}
        return self._pipeline._add("_subscript", inputs, constants, tensors)

    def _condition(self, predicate: DataNode) -> DataNode:
        """The predicate, checked once for all that ask it."""
        if predicate._edge not in self._conditions:
            self._conditions[predicate._edge] = branches.asked(predicate, "if")
        return self._conditions[predicate._edge]

    def _split(self, _: Operator, inputs: Inputs, arguments: dict[str, Any]) -> list[DataNode]:
        (node,) = inputs
        predicate = arguments["predicate"]
        if node._guards != predicate._guards:
            raise InvalidError(f"it splits '{node.name}', which is of another branch than what decides")
        condition = self._condition(predicate)
        parts = []
        for wanted in (True, False):
            with self._inside((*predicate._guards, (*condition._edge, wanted))):
                parts += self._pipeline._add("copy", [node], {})
        return parts

    def _merge(self, operator: Operator, inputs: Inputs, arguments: dict[str, Any]) -> list[DataNode]:
        if_true, if_false = inputs
        predicate = arguments["predicate"]
        condition = self._condition(predicate)
        for node, wanted in ((if_true, True), (if_false, False)):
            if node._guards != (*predicate._guards, (*condition._edge, wanted)):
                raise InvalidError(f"it merges '{node.name}', which is no result of its branches")
        return self._pipeline._add("_merge", inputs, {"variable": operator.name})

    def _not(self, _: Operator, inputs: Inputs, __: dict[str, Any]) -> list[DataNode]:
        (value,) = inputs
        return [branches.negate(value)]

    def _logical(self, _: Operator, inputs: Inputs, arguments: dict[str, Any]) -> list[DataNode]:
        (value,) = inputs
        return [branches.asked(value, arguments["expression_name"])]


def _public(arguments: dict[str, Any]) -> dict[str, Any]:
    """Those that scripts can give, not what DALI notes for itself."""
    return {name: value for name, value in arguments.items() if not name.startswith("_")}


def _guards_of(nodes: Sequence[DataNode]) -> Guards:
    """The guards that all of them have."""
    found = {node._guards for node in nodes}
    if len(found) > 1:
        raise InvalidError("its tensors are of different branches")
    return found.pop() if found else ()


_SPECIAL: dict[str, Callable[[Rebuilding, Operator, Inputs, dict[str, Any]], list[DataNode]]] = {
    "ArithmeticGenericOp": Rebuilding._arithmetic,
    "ExternalSource": Rebuilding._source,
    "TFRecordReader": Rebuilding._tfrecord,
    "TensorSubscript": Rebuilding._subscript,
    "conditional__Merge": Rebuilding._merge,
    "conditional__Not_": Rebuilding._not,
    "conditional__Split": Rebuilding._split,
    "conditional__ValidateLogical": Rebuilding._logical,
    "readers___TFRecord": Rebuilding._tfrecord,
}


def rebuild(file: PipelineFile, pipeline: GraphWriter) -> list[DataNode]:
    """Adds the operators of `file` to `pipeline`, which is being written; gives its outputs."""
    work = Rebuilding(pipeline)
    for operator in file.operators:
        work.add(operator)
    try:
        return [work.node(tensor) for tensor in file.outputs]
    except InvalidError as error:
        raise InvalidError(f"the outputs of a pipeline that DALI saved: {error}") from None
