"""What a row of the tables says: with which arguments an operator is shown, on what, and how results are drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from operator_pictures import scenes, tiles

Arguments = Mapping[str, Any]
# An array is a tensor; a list of arrays is a batch.
Inputs = Sequence[Any]


def first_result(results: list[Any], arguments: Arguments) -> np.ndarray:
    del arguments
    return tiles.coloured(results[0])


@dataclasses.dataclass(frozen=True)
class Tile:
    """One call. `said` stands in the caption instead of the arguments; `inputs` follow those of the row."""

    arguments: Arguments
    said: str = ""
    inputs: Inputs = ()

    def caption(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items()).replace("'", '"')
        return self.said or (f"`{shown}`" if shown else "the output")


@dataclasses.dataclass(frozen=True)
class Row:
    """A picture: the input, then a tile for each call. Random operators are called with one of the seeds each."""

    calls: Sequence[Tile | Arguments]
    inputs: Callable[[], Inputs] = lambda: (scenes.lake(),)
    before: Callable[[], np.ndarray] | None = scenes.lake
    input_said: str = "the input"
    show: Callable[[list[Any], Arguments], np.ndarray] = first_result
    seeds: Sequence[int] = (1, 2, 3)
    note: str = ""

    def tiles(self) -> list[Tile]:
        return [call if isinstance(call, Tile) else Tile(call) for call in self.calls]

    def caption(self) -> str:
        """Calls that read the same, which draw other numbers, are named once."""
        texts = [tile.caption() for tile in self.tiles()]
        counts = {text: texts.count(text) for text in texts}
        said = [text if count == 1 else f"{text}, {count} times" for text, count in counts.items()]
        if self.before is not None:
            said.insert(0, self.input_said)
        return ("From left: " if len(said) > 1 else "") + "; ".join(said) + "." + (f" {self.note}" if self.note else "")
