"""Draws: the random numbers of a transform.

Each is an operator with a name of its own, made of the transform's place, so that what it draws depends on the seed,
the epoch and the place in the epoch alone (docs/design/same-bits.md), however the transforms are run.
"""

from __future__ import annotations

from typing import Any, Sequence

from .. import fn, math
from ..graph.data_node import DataNode
from ..types import DALIDataType
from .sizes import Size, smaller, whole

__all__ = ["Draws"]


class Draws:
    """The random numbers of the transform at `place`: "transforms.2.ColorJitter"."""

    def __init__(self, place: str) -> None:
        self.place = place

    def at(self, part: str) -> Draws:
        """Those of a transform inside of this one."""
        return Draws(f"{self.place}.{part}")

    def name(self, what: str) -> str:
        """The name of the operator that draws `what`."""
        return f"{self.place}.{what}"

    def uniform(self, what: str, low: float, high: float) -> Any:
        """A number from `low` to `high`; the number itself where both are the same."""
        if low == high:
            return float(low)
        return fn.random.uniform(range=[low, high], name=self.name(what))

    def part(self, what: str) -> DataNode:
        """A number in [0, 1)."""
        node: DataNode = fn.random.uniform(range=[0.0, 1.0], name=self.name(what))
        return node

    def parts(self, what: str, shape: Any) -> DataNode:
        """Numbers in [0, 1), as a tensor."""
        node: DataNode = fn.random.uniform(range=[0.0, 1.0], shape=shape, name=self.name(what))
        return node

    def coin(self, what: str, p: float) -> Any:
        """1 with the probability `p`, else 0; a plain number where it is certain."""
        if p <= 0 or p >= 1:
            return int(p >= 1)
        return fn.random.coin_flip(probability=p, name=self.name(what))

    def below(self, what: str, count: Size) -> Size:
        """An integer from 0 to `count` - 1; 0 where count is at most 1."""
        if isinstance(count, int) and count <= 1:
            return 0
        least_one = count if isinstance(count, int) else math.max(count, 1)
        return smaller(whole(self.part(what) * least_one), least_one - 1)

    def choice(self, what: str, weights: Sequence[float]) -> DataNode:
        """The number of one of `weights`, as likely as it weighs."""
        total = float(sum(weights))
        node: DataNode = fn.random.choice(len(weights), p=[weight / total for weight in weights], name=self.name(what))
        return fn.cast(node, dtype=DALIDataType.INT32)
