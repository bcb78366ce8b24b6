"""The table that `Block.summary` prints."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..nd import NDArray
from .parameter import Parameter

if TYPE_CHECKING:
    from .block import Block, HookHandle

_WIDTH = 80
_ROW = "{:>20}  {:>42} {:>15}"


@dataclass
class _Row:
    name: str
    shape: str
    parameters: int


@dataclass
class _Table:
    rows: list[_Row]
    seen: dict[int, Parameter] = field(default_factory=dict)
    total: int = 0
    trainable: int = 0
    shared: int = 0

    def add(self, block: Block, outputs: Any) -> None:
        count = 0
        for parameter in block._reg_params.values():
            size = math.prod(parameter.shape or ())
            count += size
            self.trainable += size if parameter.grad_req != "null" else 0
            self.shared += size if id(parameter) in self.seen else 0
            self.seen[id(parameter)] = parameter
        self.total += count
        self.rows.append(_Row(f"{type(block).__name__}-{len(self.rows)}", _shape_of(outputs), count))


def _shape_of(values: Any) -> str:
    if isinstance(values, NDArray):
        return str(values.shape)
    if isinstance(values, (list, tuple)):
        return "[" + ", ".join(_shape_of(value) for value in values) + "]"
    return type(values).__name__


def _lines(table: _Table) -> list[str]:
    rule = "-" * _WIDTH
    unique = sum(math.prod(parameter.shape or ()) for parameter in table.seen.values())
    return [
        rule,
        _ROW.format("Layer (type)", "Output Shape", "Param #"),
        "=" * _WIDTH,
        *(_ROW.format(row.name, row.shape, row.parameters) for row in table.rows),
        "=" * _WIDTH,
        "Parameters in forward computation graph, duplicate included",
        f"   Total params: {table.total}",
        f"   Trainable params: {table.trainable}",
        f"   Non-trainable params: {table.total - table.trainable}",
        f"Shared params in forward computation graph: {table.shared}",
        f"Unique parameters in model: {unique}",
        rule,
    ]


def print_summary(block: Block, inputs: tuple[NDArray, ...]) -> None:
    """Runs the block once on the inputs and prints what each block in it gave."""
    table = _Table([_Row("Input", _shape_of(inputs[0] if len(inputs) == 1 else inputs), 0)])
    handles: list[HookHandle] = []

    def watch(each: Block) -> None:
        if each._has_summary_row:
            handles.append(each.register_forward_hook(lambda b, _, outputs: table.add(b, outputs)))

    block.apply(watch)
    try:
        block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    print("\n".join(_lines(table)))
