"""What the strategies of `random_*.py` draw an operator's case with: inputs of random extents, layouts and types, and
arguments that are constant, or of each sample, or of each frame."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from hypothesis import strategies as st
from operator_cases import Case, Enum

STEPS = 2**20  # of a number between two others
EXTENTS = {"H": 40, "W": 40, "D": 7, "F": 3, "C": 4, "N": 9}

STRATEGIES: dict[str, st.SearchStrategy[Case]] = {}
"""Of each operator the cases that DALI and Forebay shall treat alike."""


class Example:
    """A case whose parts are drawn one after another."""

    def __init__(self, draw: Any, op: str, bar: str) -> None:
        self.draw = draw
        self.case = Case(op, op, [], bar=bar, output=None)
        self.size = draw(st.integers(1, 3))
        self.random = np.random.default_rng(draw(st.integers(0, 9999)))
        self.layout = ""
        self.shapes: list[list[int]] = []

    def of(self, values: Any) -> Any:
        """One of the values, or of the words."""
        return self.draw(st.sampled_from(values.split() if isinstance(values, str) else list(values)))

    def whether(self) -> bool:
        return self.draw(st.booleans())

    def between(self, low: Any, high: Any) -> Any:
        if isinstance(low, int):
            return self.draw(st.integers(low, high))
        round_ones = st.floats(np.float32(low), np.float32(high), width=32, allow_subnormal=False)
        any_ones = st.integers(0, STEPS).map(lambda step: float(np.float32(low + (high - low) * (step / STEPS))))
        return self.draw(st.one_of(round_ones, any_ones))

    def extent(self, most: int, least: int = 1) -> int:
        """Often one or odd."""
        few = [n for n in (1, 2, 3, 5) if least <= n <= most]
        return self.draw(st.one_of(st.sampled_from(few or [least]), st.integers(least, most)))

    def is_sequence(self) -> bool:
        return self.layout.startswith("F")

    def input(self, batch: list[np.ndarray], layout: str = "") -> None:
        self.case.inputs.append(batch)
        self.case.layouts.append(layout or None)

    def images(self, layouts: str, types: str, channels: tuple[int, ...] = (1, 2, 3, 4), least: int = 1,
               alike: bool = False, high: float = 255.0) -> None:
        """The next input. Of the first one, the layout and shapes are kept; - stands for no layout."""
        layout = self.of(layouts)
        self.layout, kind, channel = layout.strip("-"), self.of(types), self.of(channels)
        self.shapes = []
        for _ in range(self.size):
            shape = [channel if axis == "C" else self.extent(EXTENTS[axis], least if axis in "HW" else 1)
                     for axis in (self.layout or "HWC")]
            self.shapes.append(self.shapes[0] if alike and self.shapes else shape)
        self.input([self.picture(shape, kind, high) for shape in self.shapes], self.layout)

    def picture(self, shape: list[int], kind: str, high: float = 255.0) -> np.ndarray:
        """Noise or waves, up to `high`; of signed integers from half of that below zero on."""
        numbers = self.random.random(shape)
        if numbers.size and self.random.random() < 0.5:
            waves = sum(np.sin(np.linspace(0, 4, n)).reshape([-1] + [1] * (len(shape) - i - 1))
                        for i, n in enumerate(shape))
            numbers = np.clip(0.5 + 0.2 * waves + 0.05 * numbers, 0, 1)
        if kind == "bool":
            return numbers < 0.5
        if not np.issubdtype(kind, np.floating):
            high = min(high, float(np.iinfo(kind).max))
        low = -high / 2 if kind.startswith("int") else 0.0
        return (low + numbers * (high - low)).astype(kind)

    def spatial(self) -> list[int]:
        """The axes of H, W and D in the layout."""
        return [i for i, axis in enumerate(self.layout or "HWC") if axis in "DHW"]

    def arg(self, name: str, value: Any) -> None:
        self.case.args[name] = value

    def enum(self, name: str, values: Any) -> None:
        self.case.args[name] = Enum(self.of(values))

    def given(self, name: str, make: Callable[[], Any], frames: bool = False, samples: bool = True,
              shape: tuple[int, ...] | None = None) -> None:
        """An argument that is constant, or a tensor of each sample, or of each frame where `frames` allows it.

        Constants are flat, tensors have the shape."""
        way = self.of(["constant"] + ["samples"] * samples + ["frames"] * (frames and self.is_sequence()))
        if way == "constant":
            self.case.args[name] = make()
        elif way == "samples":
            self.tensor(name, [self._shaped(make(), shape) for _ in range(self.size)])
        else:
            values = [[self._shaped(make(), shape) for _ in range(extents[0])] for extents in self.shapes]
            self.tensor(name, values)
            self.case.tensor_layouts[name] = "F" + "*" * values[0][0].ndim

    def _shaped(self, value: Any, shape: tuple[int, ...] | None) -> np.ndarray:
        array = np.array(value)
        is_float = array.dtype.kind == "f" and array.size > 0
        return array.reshape(shape or array.shape).astype(np.float32 if is_float else np.int32)

    def tensor(self, name: str, values: list[Any]) -> None:
        self.case.tensors[name] = [np.array(value) for value in values]

    def number(self, name: str, low: Any, high: Any, **how: Any) -> None:
        self.given(name, lambda: self.between(low, high), **how)

    def numbers(self, name: str, count: int, low: Any, high: Any, **how: Any) -> None:
        self.given(name, lambda: [self.between(low, high) for _ in range(count)], **how)

    def whole(self, name: str, low: int, high: int, count: int | None = None, **how: Any) -> None:
        """The same of whole numbers as floats."""
        def one() -> float:
            return float(self.between(low, high))

        self.given(name, one if count is None else lambda: [one() for _ in range(count)], **how)


def operator(name: str, bar: str = "uint8") -> Callable[[Callable[[Example], None]], Callable[[Example], None]]:
    """Makes a strategy for the operator of a function that draws the parts of its case."""

    def add(fill: Callable[[Example], None]) -> Callable[[Example], None]:
        @st.composite
        def cases(draw: Any) -> Case:
            example = Example(draw, name, bar)
            fill(example)
            return example.case

        STRATEGIES[name] = cases()
        return fill

    return add


def operators(names: str, bar: str = "uint8") -> Callable[[Callable[[Example], None]], Callable[[Example], None]]:
    """The same for operators that take the same."""

    def add(fill: Callable[[Example], None]) -> Callable[[Example], None]:
        for name in names.split():
            operator(name, bar)(fill)
        return fill

    return add
