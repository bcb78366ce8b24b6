"""DALI's serialised pipelines: what is in one.

The numbers of the fields are those of the descriptor `dali.proto` that DALI 2.4's library carries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

from ..element_types import NO_TYPE, DALIDataType
from ..errors import InvalidError
from ..tfrecord import Feature, float32, int64, string
from ..types import CPU_ONLY_DEVICE_ID
from .wire import BOOLEAN, FLOAT, INTEGER, TEXT, Field, Schema, decode

MAX_BYTES = 256 << 20
MAX_OPERATORS = 20_000

MAX_BATCH_SIZE = (1 << 31) - 1
MAX_THREADS = 1 << 16
MAX_DEPTH = 1 << 16


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument as it stands in the file. `values` are what it has where it is no list, else its parts' values, each of
    which is one."""

    name: str
    type: str
    values: list[Any]
    is_vector: bool
    parts: list[Argument]

    def value(self) -> Any:
        """A number, text, a truth value, a feature of a TFRecord, or a list of them."""
        if self.is_vector:
            return self.values
        if self.type == "TFRecord":
            return _feature(self)
        if len(self.values) != 1:
            raise InvalidError(f"the argument '{self.name}' of type '{self.type}' has {len(self.values)} values, not one")
        return self.values[0]


_NONE: list[Argument] = []


def _argument(message: Mapping[str, Any]) -> Argument:
    name, kind, parts = message["name"], message["type"], message["parts"]
    if message["is_vector"]:
        return Argument(name, kind, [part.value() for part in parts], True, _NONE)
    values = [*message["floats"], *message["ints"], *message["strings"], *message["bools"]]
    return Argument(name, kind, values, False, parts or _NONE)


_ARGUMENT = Schema("Argument", into=_argument)
_ARGUMENT.fields.update({
    1: Field("name", TEXT, required=True),
    2: Field("type", TEXT, default=""),
    3: Field("floats", FLOAT, repeated=True),
    4: Field("ints", INTEGER, repeated=True),
    5: Field("strings", TEXT, repeated=True),
    6: Field("bools", BOOLEAN, repeated=True),
    7: Field("parts", _ARGUMENT, repeated=True),
    8: Field("is_vector", BOOLEAN, default=False),
})
_TENSOR = Schema("InputOutput", {
    1: Field("name", TEXT, required=True),
    2: Field("device", TEXT, required=True),
    3: Field("is_argument", BOOLEAN, default=False),
    4: Field("argument", TEXT, default=""),
    5: Field("dtype", INTEGER, default=-1),
    6: Field("ndim", INTEGER, default=-1),
    7: Field("layout", TEXT, default=""),
})
_OPERATOR = Schema("OpDef", {
    1: Field("schema", TEXT, required=True),
    2: Field("inputs", _TENSOR, repeated=True),
    3: Field("outputs", _TENSOR, repeated=True),
    4: Field("arguments", _ARGUMENT, repeated=True),
    5: Field("name", TEXT, default=""),
})
_PIPELINE = Schema("PipelineDef", {
    1: Field("num_threads", INTEGER, default=4),
    2: Field("batch_size", INTEGER, required=True),
    5: Field("operators", _OPERATOR, repeated=True),
    7: Field("outputs", _TENSOR, repeated=True),
    8: Field("device_id", INTEGER, default=0),
    9: Field("seed", INTEGER, default=-1),
    10: Field("enable_checkpointing", BOOLEAN, default=False),
    13: Field("cpu_depth", INTEGER, default=2),
    14: Field("gpu_depth", INTEGER, default=2),
})

_FIRST_BYTES = (0x08, 0x10)
"""DALI writes fields in the order of their numbers: the number of threads, or the batch size, is the first."""


@dataclass(frozen=True)
class Tensor:
    """An input or an output of an operator, or an output of the pipeline. `argument` is the name of the argument that a
    tensor gives, or empty."""

    name: str
    device: str
    argument: str = ""
    dtype: int = -1
    ndim: int = -1
    layout: str = ""


@dataclass(frozen=True)
class Operator:
    """An operator: the name of its schema, its own name, what it takes and gives, its constant arguments."""

    schema: str
    name: str
    inputs: list[Tensor]
    outputs: list[Tensor]
    arguments: dict[str, Any] = field(default_factory=dict)

    def shown(self) -> str:
        """For errors."""
        return f"operator {self.schema} ('{self.name}')"


@dataclass(frozen=True)
class PipelineFile:
    """A pipeline: the arguments of `Pipeline`, its operators, each behind those whose outputs it takes, its outputs."""

    arguments: dict[str, Any]
    operators: list[Operator]
    outputs: list[Tensor]


_KINDS = {0: int64, 1: string, 2: float32}
"""How DALI numbers the types of TFRecord's features."""


def _feature(argument: Argument) -> Feature:
    parts = {part.name: part for part in argument.parts}
    missing = {"type", "has_shape", "shape", "default_value"} - parts.keys()
    if missing:
        raise InvalidError(f"a feature of a TFRecord has no '{min(missing)}'")
    kind = parts["type"].value()
    if kind not in _KINDS:
        raise InvalidError(f"a feature of a TFRecord has the type {kind!r}")
    is_fixed = bool(parts["has_shape"].value())
    return Feature(_KINDS[kind], is_fixed, list(parts["shape"].values) if is_fixed else [], parts["default_value"].value())


def _tensor(message: Mapping[str, Any]) -> Tensor:
    if message["is_argument"] and not message["argument"]:
        raise InvalidError(f"the tensor '{message['name']}' is given as an argument without a name")
    if not message["layout"].isascii():
        raise InvalidError(f"the tensor '{message['name']}' has the layout {message['layout']!r}, which is none")
    argument = message["argument"] if message["is_argument"] else ""
    return Tensor(
        message["name"], message["device"], argument, message["dtype"], message["ndim"], message["layout"]
    )


def _operator(message: Mapping[str, Any]) -> Operator:
    name = message["name"] or message["schema"]
    try:
        arguments = {argument.name: argument.value() for argument in message["arguments"]}
        tensors = [[_tensor(tensor) for tensor in message[which]] for which in ("inputs", "outputs")]
    except InvalidError as error:
        raise InvalidError(f"operator {message['schema']} ('{name}'): {error}") from None
    return Operator(message["schema"], name, tensors[0], tensors[1], arguments)


def _promise(values: list[Any]) -> Any:
    return values if any(value is not None for value in values) else None


def _within(message: Mapping[str, Any], name: str, most: int) -> int:
    value: int = message[name]
    if not 1 <= value <= most:
        raise InvalidError(f"its {name} is {value}; from 1 to {most} is possible")
    return value


def _arguments(message: Mapping[str, Any], outputs: list[Tensor]) -> dict[str, Any]:
    """As `Pipeline` takes them."""
    depths = (_within(message, "cpu_depth", MAX_DEPTH), _within(message, "gpu_depth", MAX_DEPTH))
    try:
        dtypes = [None if one.dtype == NO_TYPE else DALIDataType(one.dtype) for one in outputs]
    except ValueError as error:
        raise InvalidError(f"an output is promised to be of a type that is none: {error}") from None
    return {
        "batch_size": _within(message, "batch_size", MAX_BATCH_SIZE),
        "num_threads": _within(message, "num_threads", MAX_THREADS),
        "device_id": None if message["device_id"] == CPU_ONLY_DEVICE_ID else message["device_id"],
        "seed": None if message["seed"] < 0 else message["seed"],
        "enable_checkpointing": message["enable_checkpointing"],
        "prefetch_queue_depth": depths[0] if depths[0] == depths[1] else {"cpu_size": depths[0], "gpu_size": depths[1]},
        "output_dtype": _promise(dtypes),
        "output_ndim": _promise([None if one.ndim < 0 else one.ndim for one in outputs]),
        "output_layout": _promise([one.layout or None for one in outputs]),
    }


def is_one(data: bytes) -> bool:
    """Whether it begins like one, and not like text."""
    return len(data) > 0 and data[0] in _FIRST_BYTES


def read(data: bytes) -> PipelineFile:
    """What `Pipeline.serialize()` of DALI gave. InvalidError for anything else."""
    try:
        if len(data) > MAX_BYTES:
            raise InvalidError(f"it has {len(data)} bytes; at most {MAX_BYTES} are read")
        message = decode(_PIPELINE, data)
        if len(message["operators"]) > MAX_OPERATORS:
            raise InvalidError(f"it has {len(message['operators'])} operators; at most {MAX_OPERATORS} are read")
        outputs = [_tensor(tensor) for tensor in message["outputs"]]
        operators = [_operator(operator) for operator in message["operators"]]
        return PipelineFile(_arguments(message, outputs), operators, outputs)
    except InvalidError as error:
        raise InvalidError(f"this is no pipeline that DALI saved, or a damaged one: {error}") from None
