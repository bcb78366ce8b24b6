"""Functions and loops with one exit: what follows an `if` that leaves them moves into the branch that goes on, so that the
branches of an `if` on a DataNode, which both run, both come to its end."""

from __future__ import annotations

import ast
import copy
from typing import Any

RETURN = "__forebay_return"
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
MOST_COPIES = 1000
"""Statements that may be copied, where several branches go on to them. More of them make too much of a function."""


def contains(statement: ast.AST, kinds: tuple[type, ...], stop: tuple[type, ...] = SCOPES) -> bool:
    """Whether a statement of one of `kinds` occurs in the statement, not counting inner scopes and nodes of the kinds
    in `stop`."""
    if isinstance(statement, kinds):
        return True
    if isinstance(statement, stop):
        return False
    return any(contains(child, kinds, stop) for child in ast.iter_child_nodes(statement))


def _falls_through(block: list[ast.stmt]) -> bool:
    """Whether the end of the block can be reached; `return`s are assignments to RETURN by now only at its end."""
    return not block or not ends(block[-1])


def ends(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        return True
    if isinstance(statement, ast.If):
        return not _falls_through(statement.body) and not _falls_through(statement.orelse)
    return False


def _leaves(statement: ast.stmt, kind: type[ast.stmt]) -> bool:
    """Whether it is an `if` that holds a statement of that kind, which leaves the block."""
    return isinstance(statement, ast.If) and contains(statement, (kind,), (*SCOPES, *LOOPS))


class _TooManyCopies(Exception):
    pass


class _SingleExit:
    """Makes blocks in which every `if` that holds a statement of the kind is the last one: what follows moves into its
    branches. The statements of the block stay as they are."""

    def __init__(self, kind: type[ast.stmt]) -> None:
        self._kind = kind
        self._copies_left = MOST_COPIES

    def block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for place, statement in enumerate(block):
            if result and ends(result[-1]):
                return result  # nothing behind it is reached
            if isinstance(statement, ast.If) and _leaves(statement, self._kind):
                return [*result, self._with_rest(statement, block[place + 1 :])]
            result.append(statement)
        return result

    def _with_rest(self, statement: ast.If, rest: list[ast.stmt]) -> ast.stmt:
        goes_on = [_falls_through(statement.body), _falls_through(statement.orelse)]
        body = statement.body + (rest if goes_on[0] else [])
        orelse = statement.orelse + ((self._copied(rest) if goes_on[0] else rest) if goes_on[1] else [])
        return ast.copy_location(ast.If(statement.test, self.block(body), self.block(orelse)), statement)

    def _copied(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        self._copies_left -= sum(isinstance(node, ast.stmt) for item in statements for node in ast.walk(item))
        if self._copies_left < 0:
            raise _TooManyCopies
        return copy.deepcopy(statements)


class _AtTheEnd(ast.NodeTransformer):
    """Changes statements at the end of the branches of an `if` in a single-exit block; what lies in other statements
    stays: in inner scopes it leaves these, in loops and `try` it leaves the block there, as ever."""

    def _keep(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _keep
    visit_For = visit_While = visit_AsyncFor = _keep
    visit_With = visit_AsyncWith = visit_Try = visit_TryStar = visit_Match = _keep


class _ReturnsToAssignments(_AtTheEnd):
    """`return x` becomes an assignment; the function returns it at its end."""

    def visit_Return(self, node: ast.Return) -> Any:
        value = node.value or ast.Constant(None)
        return ast.copy_location(ast.Assign([ast.Name(RETURN, ast.Store())], value), node)


class _ContinuesToPass(_AtTheEnd):
    """`continue` is where the block ends anyway."""

    def visit_Continue(self, node: ast.Continue) -> Any:
        return ast.copy_location(ast.Pass(), node)


def _with_one_exit(block: list[ast.stmt], kind: type[ast.stmt]) -> list[ast.stmt] | None:
    """None where nothing leaves the block, or too much would have to be copied."""
    if not any(_leaves(item, kind) for item in block):
        return None
    try:
        return _SingleExit(kind).block(block)
    except _TooManyCopies:
        return None


def body_of_function(body: list[ast.stmt]) -> list[ast.stmt]:
    """The function's statements, which return in one place, the last one, where an `if` holds a `return`."""
    if any(contains(item, (ast.Yield, ast.YieldFrom)) for item in body):
        return body
    block = _with_one_exit(body, ast.Return)
    if block is None:
        return body
    nothing = ast.Assign([ast.Name(RETURN, ast.Store())], ast.Constant(None))
    statements = [_ReturnsToAssignments().visit(item) for item in block]
    return [nothing, *statements, ast.Return(ast.Name(RETURN, ast.Load()))]


def body_of_loop(block: list[ast.stmt]) -> list[ast.stmt]:
    """The loop's statements, without `continue` in the branches of an `if`."""
    single = _with_one_exit(block, ast.Continue)
    return block if single is None else [_ContinuesToPass().visit(item) for item in single]
