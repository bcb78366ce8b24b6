"""Source code of the user's functions: what statements store beside local variables, and where a lambda is."""

from __future__ import annotations

import ast
import copy
import inspect
import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Target = ast.Attribute | ast.Subscript


@dataclass
class Stores:
    """Attributes and items that statements set. `clear`: the same however often they are looked up; `unclear`: the
    source of the others."""

    clear: list[Target] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


class Finder(ast.NodeVisitor):
    """What statements set and delete. What was found in an `if` is kept, so that those in each other are read once.

    :param known: what was found in each `if` before; None begins anew.
    """

    def __init__(self, known: dict[ast.If, Finder] | None = None) -> None:
        self.targets: dict[str, Target] = {}
        self.deleted: list[str] = []
        self._known: dict[ast.If, Finder] = {} if known is None else known

    def anew(self) -> Finder:
        return Finder(self._known)

    def visit_If(self, node: ast.If) -> None:
        if node not in self._known:
            inner = self.anew()
            inner.generic_visit(node)
            self._known[node] = inner
        self.targets |= self._known[node].targets
        self.deleted += self._known[node].deleted

    def _note(self, node: Target) -> None:
        if isinstance(node.ctx, ast.Store):
            self.targets.setdefault(ast.unparse(node), node)
        elif isinstance(node.ctx, ast.Del):
            self.deleted.append(ast.unparse(node))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._note(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._note(node)

    def _leave(self, node: ast.AST) -> None:
        """Another scope."""

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _leave


def _is_plain(node: ast.expr) -> bool:
    """Whether evaluating it again gives the same and does nothing else: names, attributes, items, numbers."""
    if isinstance(node, (ast.Name, ast.Constant)):
        return True
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    if isinstance(node, ast.Subscript):
        return _is_plain(node.value) and _is_plain(node.slice)
    if isinstance(node, ast.UnaryOp):
        return _is_plain(node.operand)
    if isinstance(node, ast.Tuple):
        return all(map(_is_plain, node.elts))
    return False


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _indices(node: ast.expr) -> Iterable[ast.expr]:
    """All that is between brackets on the way to what is set."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript):
            yield node.slice
        node = node.value


def of(statements: Iterable[ast.stmt], assigned: Sequence[str], finder: Finder) -> Stores:
    """What the statements set. `assigned`: the variables that they assign, on which no index may depend."""
    finder = finder.anew()
    for statement in statements:
        finder.visit(statement)
    found = Stores(unclear=finder.deleted)
    for text, target in finder.targets.items():
        moves = any(_names(index) & set(assigned) for index in _indices(target))
        if _is_plain(target) and not moves:
            found.clear.append(target)
        else:
            found.unclear.append(text)
    return found


def _lazy(expression: ast.expr) -> ast.Lambda:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, copy.deepcopy(expression))


def _call(runtime: str, function: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name(runtime, ast.Load()), function, ast.Load()), list(arguments), [])


def place(runtime: str, target: Target) -> ast.expr:
    """The expression that makes the `Place` of what is set."""
    text = ast.Constant(ast.unparse(target))
    if isinstance(target, ast.Attribute):
        return _call(runtime, "attribute", text, _lazy(target.value), ast.Constant(target.attr))
    return _call(runtime, "item", text, _lazy(target.value), _lazy(target.slice))


def global_place(runtime: str, name: str) -> ast.expr:
    variables = ast.Call(ast.Name("globals", ast.Load()), [], [])
    return _call(runtime, "global_variable", ast.Constant(name), variables)


def class_of(qualified_name: str) -> str:
    """The class in whose body a function is defined, also within its methods; "" where there is none."""
    for scope in reversed(qualified_name.split(".<locals>.")):
        folders = scope.split(".")
        if len(folders) > 1:
            return folders[-2]
    return ""


class Mangler(ast.NodeTransformer):
    """Gives private names (``self.__x``) the form that they have in a class."""

    def __init__(self, owner: str) -> None:
        self._prefix = f"_{owner.lstrip('_')}" if owner.strip("_") else ""

    def _mangled(self, name: str) -> str:
        return self._prefix + name if self._prefix and name.startswith("__") and not name.endswith("__") else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._mangled(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self._mangled(node.attr)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self._mangled(node.arg)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node  # its own


def lambda_of(code: types.CodeType) -> ast.Lambda:
    """The lambda that has this code. OSError where its source is not known or not clear."""
    lines, _ = inspect.findsource(code)
    found = [
        node
        for node in ast.walk(ast.parse("".join(lines)))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]
    if len(found) > 1 and hasattr(code, "co_positions"):
        found = [node for node in found if _holds(node.body, code)]
        found = [node for node in found if not any(_is_within(other, node) for other in found if other is not node)]
    if len(found) != 1:
        raise OSError("there are several lambdas in the line")
    return found[0]


def _holds(body: ast.expr, code: types.CodeType) -> bool:
    """Whether all instructions come from the expression."""
    first = (body.lineno, body.col_offset)
    last = (body.end_lineno or body.lineno, body.end_col_offset or 0)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or column is None or end_line is None or end_column is None or end_column == 0:
            continue
        if (line, column) < first or (end_line, end_column) > last:
            return False
    return True


def _is_within(inner: ast.Lambda, outer: ast.Lambda) -> bool:
    return any(node is inner for node in ast.walk(outer.body))
