"""Arithmetic as DALI writes it down: ``add(&0 $1:float32)`` is input 0 plus real constant 1.

Integers and truth values are numbered among the integer constants, floats among the real ones.
"""

from __future__ import annotations

import re
from typing import Any, Sequence

from ..errors import InvalidError
from ..graph.expressions import arithmetic
from ..types import ScalarConstant, to_dali_type

MAX_DEPTH = 32
_TOKEN = re.compile(r"\s*(?:(?P<input>&\d{1,9})|(?P<constant>\$\d{1,9}:\w+)|(?P<call>\w+)\(|(?P<end>\)))\s*", re.ASCII)


class Expression:
    """One expression, and what its parts refer to."""

    def __init__(self, text: str, inputs: Sequence[Any], integers: Sequence[int], reals: Sequence[float]) -> None:
        self._text = text
        self._inputs = inputs
        self._integers = integers
        self._reals = reals
        self._position = 0

    def build(self) -> Any:
        """The node that gives its value. InvalidError for what is no expression."""
        node = self._part(0)
        if self._position != len(self._text) or isinstance(node, ScalarConstant):
            raise self._refusal()
        return node

    def _refusal(self) -> InvalidError:
        return InvalidError(f"'{self._shown()}' is no arithmetic expression: character {self._position}")

    def _shown(self) -> str:
        return self._text if len(self._text) <= 200 else f"{self._text[:200]}..."

    def _part(self, depth: int) -> Any:
        """The next operand; None at the end of a list of them."""
        match = _TOKEN.match(self._text, self._position)
        if match is None or depth > MAX_DEPTH:
            raise self._refusal()
        self._position = match.end()
        if match["end"]:
            return None
        if match["input"]:
            return self._chosen(self._inputs, match["input"])
        if match["constant"]:
            return self._constant(*match["constant"].split(":"))
        operands = []
        while (operand := self._part(depth + 1)) is not None:
            operands.append(operand)
        return arithmetic(match["call"], *operands)

    def _chosen(self, choices: Sequence[Any], name: str) -> Any:
        place = int(name[1:])
        if place >= len(choices):
            raise InvalidError(f"'{self._shown()}' has an operand {name}, which it was not given")
        return choices[place]

    def _constant(self, name: str, dtype: str) -> ScalarConstant:
        kind = to_dali_type(dtype)
        values = self._reals if dtype.startswith("float") else self._integers
        return ScalarConstant(self._chosen(values, name), kind)
