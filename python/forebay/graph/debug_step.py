"""A call of an operator in a pipeline with debug=True: a pipeline of this operator alone, which is fed."""

from __future__ import annotations

import functools
import json
from typing import Any, Mapping, Sequence

from .. import _core
from ..tensors import TensorCPU, TensorListCPU
from .pipeline import Pipeline
from .sources import Feed, OutputForm, QueueFeed
from .writer import Recipe

BATCH = "a batch"
"""What stands for an operator where the definition gives a batch itself."""


@functools.cache
def _rows() -> dict[str, dict[str, Any]]:
    return {str(row["name"]): row for row in _core.operator_table()}


def forget_rows() -> None:
    """The table has grown."""
    _rows.cache_clear()


def _same(a: Any, b: Any) -> bool:
    """Whether two arguments are equal; NaN is equal to itself."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b) or (a != a and b != b)


class Step:
    """One call of an operator, and the pipeline that runs it."""

    def __init__(
        self, pipe: Pipeline, recipe: Recipe, feed: Feed | None, function: Any, counts: Mapping[str, int]
    ) -> None:
        """:param counts: how many operators of each kind were called before."""
        self.recipe = recipe
        row = _rows().get(recipe.op, {})
        self.is_reader = row.get("scope") == "source"
        self.draws = bool(row.get("is_random")) or self.is_reader
        if row.get("scope") == "expand":
            raise NotImplementedError(f"debug=True: fn.{recipe.op} changes the number of samples, which is not offered")
        self.takes_rest = self.draws and row.get("scope") != "batch" and function is None
        self._keys = [f"__input_{place}" for place in range(len(recipe.inputs) + len(recipe.tensors))]
        self.pipe = pipe
        self.function = function  # of this run: the definition may make another each time
        self._write(feed, counts.get(recipe.op, 0) if self.draws and not recipe.name else 0)

    def _write(self, feed: Feed | None, earlier: int) -> None:
        """:param earlier: operators of this kind before it: they decide what it draws."""
        recipe, pipe = self.recipe, self.pipe
        with pipe:
            form = OutputForm(copy=False)
            fed = [pipe._add_feed(QueueFeed(form, False), 1, key)[0]._edge for key in self._keys]
            count = len(recipe.inputs)
            own = Recipe(
                recipe.op, recipe.name, recipe.device, fed[:count], {**recipe.constants},
                dict(zip(recipe.tensors, fed[count:])), [], recipe.seed,
            )
            function = None if self.function is None else lambda rows: self.function(rows)
            if function is not None:
                own.constants["preserve"] = True
            for _ in range(earlier):
                pipe._put(own)
            nodes = pipe._put(own, feed, function)
            self.count = len(nodes)
            outputs: list[Any] = [*nodes]
            pipe.set_outputs(*(outputs or [0]))

    def run(self, columns: Sequence[Sequence[TensorCPU]]) -> list[TensorListCPU]:
        for key, column in zip(self._keys, columns):
            self.pipe.feed_input(key, list(column))
        return list(self.pipe.run())[: self.count]

    def skip(self, count: int) -> None:
        """Goes on as if a batch of `count` samples had been run, so that what is drawn stays the same."""
        state = self.pipe.state_dict()
        session = json.loads(state["session"])
        for name in ("stream", "read", "feed_position"):
            session[name] += count
        for name in ("iteration", "feed_iteration"):
            session[name] += 1
        self.pipe.load_state_dict({**state, "session": json.dumps(session)})

    def check(self, recipe: Recipe) -> None:
        """RuntimeError where the call is another one than in the first run."""
        old = self.recipe
        if (old.op, old.name) != (recipe.op, recipe.name):
            raise RuntimeError(
                f"Unexpected operator '{recipe.op}': in the first run '{old.op}' was called here. Debug mode does not "
                "support changing the order of operators executed within the pipeline."
            )
        if len(old.inputs) != len(recipe.inputs):
            raise RuntimeError(
                f"Trying to use operator '{recipe.op}' with different number of inputs than when it was built."
            )
        if old.constants.keys() | old.tensors.keys() != recipe.constants.keys() | recipe.tensors.keys():
            raise RuntimeError(
                f"Trying to use operator '{recipe.op}' with different number of keyword arguments than when it was built."
            )
        for name in recipe.tensors.keys() ^ old.tensors.keys():
            raise RuntimeError(f"Argument '{name}' for operator '{recipe.op}' is a batch in one run and none in another.")
        for name, value in recipe.constants.items():
            if not _same(value, old.constants[name]):
                raise RuntimeError(
                    f"Argument '{name}' for operator '{recipe.op}' unexpectedly changed value from "
                    f"'{old.constants[name]}' to '{value}'"
                )


class Given(Step):
    """A batch that the definition gave an operator as its input."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.is_reader = self.draws = self.takes_rest = False
        self.function = None
        self.count = 1
