"""Functions whose arguments or results are not those of the operator behind them.

`readers.tfrecord` takes and gives dictionaries; its operator takes text and gives a list. `readers.numpy` takes regions
that differ from sample to sample: the array is read whole, and `slice` cuts them out. `readers.sequence` gives
pictures; its operator gives the bytes of each frame.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Mapping

from ..graph import expressions
from ..tfrecord import Feature
from ..types import DALIImageType

if TYPE_CHECKING:
    from ..graph.data_node import DataNode

Finish = Callable[[list["DataNode"]], Any]
Call = Callable[..., Any]
"""Adds the operator of a name to the pipeline of its inputs."""

_REGION = {
    "roi_start": "start",
    "roi_end": "end",
    "roi_shape": "shape",
    "rel_roi_start": "rel_start",
    "rel_roi_end": "rel_end",
    "rel_roi_shape": "rel_shape",
}
"""Arguments of readers.numpy, and what slice calls them."""


def _plain(outputs: list[DataNode]) -> Any:
    return outputs[0] if len(outputs) == 1 else outputs


def _tfrecord(arguments: dict[str, Any], _call: Call) -> tuple[dict[str, Any], Finish]:
    features = arguments.get("features")
    if not isinstance(features, dict):
        return arguments, _plain
    for name, feature in features.items():
        if not isinstance(feature, Feature):
            raise TypeError(f"fn.readers.tfrecord: feature '{name}' is {feature!r}; write tfrecord.FixedLenFeature(...)")
    rows = [{"name": name, **feature.row()} for name, feature in features.items()]
    names = list(features)
    return {**arguments, "features": json.dumps(rows)}, lambda outputs: dict(zip(names, outputs))


def _numpy(arguments: dict[str, Any], call: Call) -> tuple[dict[str, Any], Finish]:
    if not any(expressions.is_node(arguments.get(name)) for name in _REGION):
        return arguments, _plain
    window = {new: arguments[old] for old, new in _REGION.items() if arguments.get(old) is not None}
    window["axes"] = arguments.get("roi_axes", [])
    window["out_of_bounds_policy"] = arguments.get("out_of_bounds_policy", "error")
    window["fill_values"] = arguments.get("fill_value", 0.0)
    dropped = {*_REGION, "roi_axes", "out_of_bounds_policy", "fill_value"}
    rest = {name: value for name, value in arguments.items() if name not in dropped}

    def cut(outputs: list[DataNode]) -> Any:
        return call("slice", outputs[0], **window)

    return rest, cut


def _sequence(arguments: dict[str, Any], call: Call) -> tuple[dict[str, Any], Finish]:
    rest = dict(arguments)
    image_type = rest.pop("image_type", DALIImageType.RGB)

    def decode(outputs: list[DataNode]) -> Any:
        frames = [call("decoders.image", frame, output_type=image_type) for frame in outputs]
        return call("stack", *frames, axis=0, axis_name="F")

    return rest, decode


@dataclass(frozen=True)
class Adapter:
    """What stands between such a function and its operator."""

    adapt: Callable[[dict[str, Any], Call], tuple[dict[str, Any], Finish]]
    returned: str
    """The type of the function's result, as text."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """The types of arguments that are not the operator's, as text."""


ADAPTERS = {
    "readers.numpy": Adapter(_numpy, "DataNode"),
    "readers.sequence": Adapter(_sequence, "DataNode"),
    "readers.tfrecord": Adapter(_tfrecord, "dict[str, DataNode]", {"features": "dict[str, Feature]"}),
}


def adapt(op: str, arguments: dict[str, Any], call: Call) -> tuple[dict[str, Any], Finish]:
    """The arguments as the operator takes them, and how its outputs are given to the user."""
    adapter = ADAPTERS.get(op)
    return (arguments, _plain) if adapter is None else adapter.adapt(arguments, call)
