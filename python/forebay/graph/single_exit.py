"""Functions and loops with one exit: what follows an `if` that leaves them moves into the branch that goes on, so that the
branches of an `if` on a DataNode, which both run, both come to its end."""

from __future__ import annotations

import ast
import copy
from typing import Any

RETURN = "__forebay_return"
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


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


def _single_exit(block: list[ast.stmt], kind: type[ast.stmt]) -> list[ast.stmt]:
    """The block with every `if` that holds a statement of the kind as its last one: what follows moves into its
    branches."""
    result: list[ast.stmt] = []
    for place, statement in enumerate(block):
        if result and ends(result[-1]):
            return result  # nothing behind it is reached
        if not isinstance(statement, ast.If) or not contains(statement, (kind,), (*SCOPES, ast.For, ast.While)):
            result.append(statement)
            continue
        rest = block[place + 1 :]
        body = statement.body + (rest if _falls_through(statement.body) else [])
        orelse = statement.orelse + (copy.deepcopy(rest) if _falls_through(statement.orelse) else [])
        inner = ast.If(statement.test, _single_exit(body, kind), _single_exit(orelse, kind))
        result.append(ast.copy_location(inner, statement))
        return result
    return result


class _ReturnsToAssignments(ast.NodeTransformer):
    """In a single-exit block, `return x` inside an `if` becomes an assignment; the function returns it at its end."""

    def visit_Return(self, node: ast.Return) -> Any:
        value = node.value or ast.Constant(None)
        return ast.copy_location(ast.Assign([ast.Name(RETURN, ast.Store())], value), node)

    def _keep(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _keep
    visit_For = visit_While = visit_AsyncFor = _keep  # a return there leaves a plain loop
    visit_With = visit_AsyncWith = visit_Try = visit_Match = _keep  # and the function there, as ever


class _ContinuesToPass(ast.NodeTransformer):
    """In a single-exit block, `continue` at the end of the branches of an `if` is where the block ends anyway."""

    def visit_Continue(self, node: ast.Continue) -> Any:
        return ast.copy_location(ast.Pass(), node)

    def _keep(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _keep
    visit_For = visit_While = visit_AsyncFor = visit_With = visit_AsyncWith = visit_Try = visit_Match = _keep


def _branches_with(kind: type[ast.stmt], block: list[ast.stmt]) -> bool:
    """Whether an `if` of the block holds a statement of that kind, which leaves the block."""
    stop = (*SCOPES, ast.For, ast.While)
    return any(isinstance(item, ast.If) and contains(item, (kind,), stop) for item in block)


def body_of_function(node: ast.FunctionDef) -> list[ast.stmt]:
    """The function's statements, which return in one place, the last one, where an `if` holds a `return`."""
    if not _branches_with(ast.Return, node.body) or any(contains(item, (ast.Yield, ast.YieldFrom)) for item in node.body):
        return node.body
    nothing = ast.Assign([ast.Name(RETURN, ast.Store())], ast.Constant(None))
    statements = [_ReturnsToAssignments().visit(item) for item in _single_exit(node.body, ast.Return)]
    return [nothing, *statements, ast.Return(ast.Name(RETURN, ast.Load()))]


def body_of_loop(block: list[ast.stmt]) -> list[ast.stmt]:
    """The loop's statements, without `continue` in the branches of an `if`."""
    if not _branches_with(ast.Continue, block):
        return block
    return [_ContinuesToPass().visit(item) for item in _single_exit(block, ast.Continue)]
