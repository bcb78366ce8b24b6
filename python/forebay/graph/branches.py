"""What functions rewritten by `conditional_rewriter` call: `if`, `and`, `or`, `not` that branch for each sample.

While a branch on a DataNode is being written, every operator that is added gets a guard: it runs only for the samples
whose condition holds. A `_merge` node then joins what the two branches assigned to a variable; for each sample exactly
one of its inputs has a value. Conditions that are plain Python values behave as always.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ..errors import DivergentError, LeftBranchError, UnsetError
from . import enumerations, expressions, guards
from .data_node import DataNode
from .expressions import is_node
from .places import Absent, Place
from .values import Scalar, Unusable, is_unusable, used


def _unset(name: str) -> Unusable:
    return Unusable(UnsetError(f"'{name}' is not set in every branch of an `if` on a DataNode; give it a value in both"))


def _divergent(name: str, *values: Any) -> Unusable:
    kinds = " and ".join(type(value).__name__ for value in values)
    told = f"the branches of an `if` on a DataNode give {name} values that cannot be merged: {kinds}"
    return Unusable(DivergentError(told))


def asked(value: Any, of: str) -> DataNode:
    """What a conditional or a logical expression asks, as a node that is checked when the pipeline runs."""
    if is_node(value) and value.device != "cpu":
        raise RuntimeError(f"what `{of}` asks must be a CPU node: the choice is made before the branches run")
    pipeline = expressions.owner_of([value])
    with pipeline._writing():
        constants = {"of": of, "boolean": of in ("and", "or"), "takes_one": of == "if"}
        return pipeline._add("_predicate", [expressions.as_node(value)], constants)[0]


class _Side:
    """One branch of a merge. `bring` turns a value into a node that exists in this branch only."""

    def __init__(self, condition: DataNode, wanted: bool) -> None:
        self.condition = condition
        self.wanted = wanted

    def bring(self, value: Any) -> DataNode:
        pipeline = self.condition._pipeline
        with guards.guarded(self.condition, self.wanted), pipeline._writing():
            if not is_node(value):
                return expressions.constant_node(value)
            if value._guards == tuple(pipeline._guards):
                node: DataNode = value
                return node  # it is limited to this branch already
            return pipeline._add("copy", [value], {})[0]  # shares the memory; runs in this branch only


def _is_constant(value: Any) -> bool:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "biuf"
    return isinstance(value, (bool, int, float, Scalar))


def _are_equal(a: Any, b: Any) -> bool:
    equal = a == b
    return equal if isinstance(equal, bool) else False


def _holds_unusable(value: Any) -> bool:
    if is_unusable(value):
        return True
    if isinstance(value, dict):
        return any(map(_holds_unusable, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_holds_unusable, value))


def _merge_nodes(condition: DataNode, if_true: Any, if_false: Any, name: str) -> DataNode:
    pipeline = condition._pipeline
    sides = [_Side(condition, True).bring(if_true), _Side(condition, False).bring(if_false)]
    return pipeline._add("_merge", sides, {"variable": name})[0]


def merge(condition: DataNode, if_true: Any, if_false: Any, name: str) -> Any:
    """What a variable is after both branches. Tuples, lists and dictionaries of equal form merge part by part."""
    if if_true is if_false:
        return if_true
    for value in (if_true, if_false):
        if is_unusable(value):
            return value
    if isinstance(if_true, (tuple, list)) and type(if_true) is type(if_false) and len(if_true) == len(if_false):
        parts = [merge(condition, a, b, name) for a, b in zip(if_true, if_false)]
        return type(if_true)(parts)
    if isinstance(if_true, dict) and isinstance(if_false, dict) and if_true.keys() == if_false.keys():
        return {key: merge(condition, if_true[key], if_false[key], name) for key in if_true}
    both = (if_true, if_false)
    if not all(is_node(value) or _is_constant(value) for value in both):
        return if_true if not any(is_node(value) for value in both) and _are_equal(*both) else _divergent(name, *both)
    if enumerations.of(if_true) is not enumerations.of(if_false):
        return _divergent(name, *both)
    if not any(is_node(value) for value in both) and type(if_true) is type(if_false) and np.array_equal(*both):
        return if_true
    return _merge_nodes(condition, if_true, if_false, name)


class If:
    """One `if` statement. The rewritten code asks `enters` before each branch and gives its variables after.

    :param names: the local variables that the branches set.
    :param found: gives the attributes, items and global variables that they set.
    :param unclear: what they set besides, which may be elsewhere each time it is looked up.
    """

    def __init__(
        self, condition: Any, names: Sequence[str], variables: Mapping[str, Any],
        found: Callable[[], Sequence[Place]] = tuple, unclear: Sequence[str] = (),
    ) -> None:
        self.is_node = is_node(condition)
        self._names = names
        self._results: dict[bool, list[Any]] = {}
        self._places_after: dict[bool, list[Any]] = {}
        if not self.is_node:
            self._is_true = bool(condition)
            return
        if unclear:
            raise TypeError(
                f"a branch of an `if` on a DataNode sets {unclear[0]}: what is meant may differ from branch to branch; "
                "set a variable, and store it after the `if`"
            )
        self._condition = asked(condition, "if")
        self._places = list(found())
        self._before = self._pick(variables)
        self._places_before = [place.get() for place in self._places]

    def _pick(self, variables: Mapping[str, Any]) -> list[Any]:
        return [variables[name] if name in variables else _unset(name) for name in self._names]

    def enters(self, branch: bool) -> bool:
        """Whether this branch is written, which it is from now on."""
        if not self.is_node:
            return self._is_true is branch
        self._depth = guards.enter(self._condition, branch)
        return True

    def done(self, wanted: bool, variables: Mapping[str, Any]) -> None:
        """Called at the end of a branch: notes the values of its variables."""
        if self.is_node:
            self._results[wanted] = self._pick(variables)
            self._places_after[wanted] = [place.get() for place in self._places]
            guards.unwind(self._depth)

    def before(self) -> list[Any]:
        """The variables as they were before the `if`."""
        return self._before

    def restore(self) -> None:
        """Puts attributes, items and global variables back to what they were before the `if`."""
        for place, value in zip(self._places, self._places_before):
            place.put(value)

    def settle(self) -> None:
        """Puts attributes, items and global variables to what they are after the `if`."""
        self.restore()
        sides = [self._places_after.get(wanted, self._places_before) for wanted in (True, False)]
        for place, before, if_true, if_false in zip(self._places, self._places_before, *sides):
            if if_true is Absent and if_false is Absent:
                continue
            is_unset = if_true is Absent or if_false is Absent
            value = _unset(place.name) if is_unset else merge(self._condition, if_true, if_false, place.name)
            if _holds_unusable(value):
                self._condition._pipeline._marks.put(place, value, before)
            else:
                place.put(value)

    def after(self) -> list[Any]:
        """The variables as they are after the `if`."""
        if_true = self._results.get(True, self._before)
        if_false = self._results.get(False, self._before)
        return [merge(self._condition, *values) for values in zip(if_true, if_false, self._names)]


def leave(how: str, *ifs: If) -> None:
    """Called before a statement that leaves the branches of these."""
    if any(each.is_node for each in ifs):
        raise LeftBranchError(
            f"`{how}` cannot leave the branch of an `if` on a DataNode inside a loop, or where too much follows that "
            "would have to be in several branches: the choice differs from sample to sample"
        )


def choose(condition: Any, if_true: Callable[[], Any], if_false: Callable[[], Any]) -> Any:
    """``if_true() if condition else if_false()``."""
    if not is_node(condition):
        return if_true() if condition else if_false()
    condition = asked(condition, "if")
    with guards.guarded(condition, True):
        first = if_true()
    with guards.guarded(condition, False):
        second = if_false()
    return merge(condition, first, second, "a conditional expression")


def both(left: Any, right: Callable[[], Any]) -> Any:
    """``left and right()``; the right side runs only for the samples where the left is true."""
    if not is_node(left):
        return left and right()
    left = asked(left, "and")
    with guards.guarded(left, True):
        value = asked(right(), "and")
    return merge(left, value, False, "'and'")


def either(left: Any, right: Callable[[], Any]) -> Any:
    """``left or right()``."""
    if not is_node(left):
        return left or right()
    left = asked(left, "or")
    with guards.guarded(left, False):
        value = asked(right(), "or")
    return merge(left, True, value, "'or'")


_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
    "GtE": operator.ge, "Is": operator.is_, "IsNot": operator.is_not,
    "In": lambda item, container: item in container, "NotIn": lambda item, container: item not in container,
}


def chain(left: Any, step: tuple[str, Callable[[], Any]], *others: tuple[str, Callable[[], Any]]) -> Any:
    """``left < right() < ...``: each operand is computed once, and the later ones where all before hold."""
    comparison, make = step
    right = make()
    holds = _COMPARISONS[comparison](used(left), used(right))
    return both(holds, lambda: chain(right, *others)) if others else holds


def negate(value: Any) -> Any:
    """``not value``."""
    return expressions.arithmetic("eq", asked(value, "not"), 0) if is_node(value) else not value
