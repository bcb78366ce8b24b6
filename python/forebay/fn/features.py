"""readers.tfrecord takes and gives dictionaries; the operator behind it takes text and gives a list."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable

from ..tfrecord import Feature

if TYPE_CHECKING:
    from ..graph.data_node import DataNode

Finish = Callable[[list["DataNode"]], Any]


def _plain(outputs: list[DataNode]) -> Any:
    return outputs[0] if len(outputs) == 1 else outputs


def adapt(op: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], Finish]:
    """The arguments as the operator takes them, and how its outputs are given to the user."""
    features = arguments.get("features")
    if op != "readers.tfrecord" or not isinstance(features, dict):
        return arguments, _plain
    for name, feature in features.items():
        if not isinstance(feature, Feature):
            raise TypeError(f"fn.readers.tfrecord: feature '{name}' is {feature!r}; write tfrecord.FixedLenFeature(...)")
    rows = [{"name": name, **feature.row()} for name, feature in features.items()]
    names = list(features)
    return {**arguments, "features": json.dumps(rows)}, lambda outputs: dict(zip(names, outputs))
