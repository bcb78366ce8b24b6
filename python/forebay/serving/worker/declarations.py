"""What a model says of its inputs and outputs, in its class, its module, or its configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .element_types import protocol_type


@dataclass
class Declared:
    """An input or output; `shape` as requests have it, with the extent of the batch where the model has one."""

    name: str
    datatype: str
    shape: list[int]
    labels: list[str] = field(default_factory=list)

    def fields(self) -> dict[str, Any]:
        return {"name": self.name, "datatype": self.datatype, "shape": self.shape, "labels": self.labels}


@dataclass
class Declarations:
    inputs: list[Declared]
    outputs: list[Declared]
    max_batch_size: int = 0


def _read_one(given: Any, where: str, has_batch: bool) -> Declared:
    """A tuple (name, type, shape), or a mapping with these keys, also those of Triton's configuration."""
    if isinstance(given, Mapping):
        name = given.get("name")
        dtype = next((given[key] for key in ("dtype", "datatype", "data_type") if key in given), None)
        shape = next((given[key] for key in ("shape", "dims") if key in given), None)
        labels = list(given.get("labels", ()))
    elif isinstance(given, (tuple, list)) and len(given) == 3:
        (name, dtype, shape), labels = given, []
    else:
        raise ValueError(f"{where} has {given!r}, which is no tuple of name, type and shape")
    if not isinstance(name, str) or dtype is None or shape is None:
        raise ValueError(f"{where} has {given!r}; name, type and shape are needed")
    extents = [-1 if extent is None else int(extent) for extent in shape]
    return Declared(name, protocol_type(dtype), [-1, *extents] if has_batch else extents, labels)


def read_declarations(inputs: Any, outputs: Any, max_batch_size: Any) -> Declarations:
    """Shapes are given without the extent of the batch if `max_batch_size` is above 0.

    ValueError says what is wrong.
    """
    size = int(max_batch_size or 0)
    if size < 0:
        raise ValueError(f"max_batch_size is {size}")
    read = {
        what: [_read_one(one, f"`{what}`", size > 0) for one in given]
        for what, given in (("inputs", inputs), ("outputs", outputs))
    }
    return Declarations(read["inputs"], read["outputs"], size)
