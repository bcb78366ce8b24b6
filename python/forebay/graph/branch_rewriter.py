"""Rewrites syntax trees of functions so that `if`, `and`, `or`, `not`, chains of comparisons and conditional
expressions work on DataNodes.

    if condition:            _1 = fb.If(condition, ("x",), locals())
        x = f(x)             if _1.enters(True):
    else:                        x = f(x)
        x = g(x)                 _1.done(True, locals())
                             if _1.is_node:
                                 x, = _1.before()
                             if _1.enters(False):
                                 x = g(x)
                                 _1.done(False, locals())
                             if _1.is_node:
                                 x, = _1.after()

Branches are no blocks of their own, so that there may be as many as one likes. Whatever may end a branch before its
`done` is followed by a return to the branches that were open before: each function, `try` and `with` that holds an `if`
does so. What else the branches set (attributes, items, global variables) is looked up, put back and merged by `Place`s.
With a plain condition exactly one branch runs and nothing else changes. `return` in a branch is first turned into an
assignment, and `continue` goes: what follows the `if` moves into the branches that go on.
"""

from __future__ import annotations

import ast
from typing import Any

from . import single_exit, stores

RUNTIME = "__forebay"
_KEPT_CALLS = frozenset({"super", "locals", "globals", "vars", "eval", "exec", "dir", "print", "isinstance", "len"})


class _Names(ast.NodeVisitor):
    """The variables that statements assign, in order. Those of an `if` are kept, so that ifs in each other are read once.

    :param known: those of each `if` that was read before.
    """

    def __init__(self, known: dict[ast.If, dict[str, None]]) -> None:
        self.names: dict[str, None] = {}
        self._known = known

    def visit_If(self, node: ast.If) -> None:
        if node not in self._known:
            inner = _Names(self._known)
            inner.generic_visit(node)
            self._known[node] = inner.names
        self.names |= self._known[node]

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store) and not node.id.startswith("__forebay_if"):
            self.names[node.id] = None

    def _visit_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.names[node.name] = None

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _visit_definition

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def visit_ListComp(self, node: ast.AST) -> None:
        pass

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _call(function: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_name(RUNTIME), function, ast.Load()), list(arguments), [])


def _method(owner: str, method: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_name(owner), method, ast.Load()), list(arguments), [])


def _lazy(expression: ast.expr) -> ast.Lambda:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, expression)


def _used(expression: ast.expr) -> ast.expr:
    """For what Python looks at without asking the value."""
    is_constant = isinstance(expression, ast.Constant)
    return expression if is_constant else ast.copy_location(_call("used", expression), expression)


def _needs_its_scope(expression: ast.expr) -> bool:
    """Whether it would mean something else in a function of its own, which _lazy() makes."""
    return single_exit.contains(expression, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await))


def _locals() -> ast.expr:
    return ast.Call(_name("locals"), [], [])


def _doc_and_rest(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    first = body[0]
    has_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return body[:has_doc], body[has_doc:]


class Rewriter(ast.NodeTransformer):
    """:param moves_rest: what follows an `if` moves into its branches where these leave a function or a loop. Without,
    an `if` on a DataNode cannot, but branches lie less deep in each other."""

    def __init__(self, moves_rest: bool) -> None:
        self._moves_rest = moves_rest
        self._count = 0
        self._nonlocals: list[set[str]] = [set()]
        self._ifs: list[str] = []  # of the function, outermost first, in whose branches the statement is
        self._ifs_before_loop = 0
        self._names: dict[ast.If, dict[str, None]] = {}
        self._stores = stores.Finder()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        declared = {name for item in ast.walk(node) if isinstance(item, ast.Global) for name in item.names}
        self._nonlocals.append(declared)
        outside = self._ifs, self._ifs_before_loop
        self._ifs, self._ifs_before_loop = [], 0
        doc, body = _doc_and_rest(node.body)
        if self._moves_rest:
            body = single_exit.body_of_function(body)
        node.body = doc + self._kept(body, self._block(body))
        self._ifs, self._ifs_before_loop = outside
        node.args = self.visit(node.args)
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        self._nonlocals.pop()
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return node  # runs later, if at all

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    @staticmethod
    def _kept(body: list[ast.stmt], rewritten: list[ast.stmt]) -> list[ast.stmt]:
        """The function's statements, after which no branch is open that was not before. Generators run in the midst of
        the branches of others: theirs end with those."""
        holds_if = any(single_exit.contains(item, (ast.If,)) for item in body)
        if not holds_if or any(single_exit.contains(item, (ast.Yield, ast.YieldFrom)) for item in body):
            return rewritten
        return [ast.copy_location(ast.With([ast.withitem(_call("kept"))], rewritten), rewritten[0])]

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in block:
            rewritten = self.visit(statement)
            result.extend(rewritten if isinstance(rewritten, list) else [rewritten])
        return result

    def _assigned(self, statements: list[ast.stmt]) -> list[str]:
        visitor = _Names(self._names)
        for statement in statements:
            visitor.visit(statement)
        return list(visitor.names)

    def visit_If(self, node: ast.If) -> Any:
        self._count += 1
        state = f"__forebay_if_{self._count}"
        assigned = self._assigned([*node.body, *node.orelse])
        names = [name for name in assigned if name not in self._nonlocals[-1]]
        stored = stores.of([*node.body, *node.orelse], assigned, self._stores)
        places = [stores.place(RUNTIME, target) for target in stored.clear]
        places += [stores.global_place(RUNTIME, name) for name in assigned if name in self._nonlocals[-1]]
        test = self.visit(node.test)
        self._ifs.append(state)
        body = self._block(node.body)
        orelse = self._block(node.orelse)
        self._ifs.pop()
        listed = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
        found = [_lazy(ast.Tuple(places, ast.Load()))] if places or stored.unclear else []
        unclear = [ast.Tuple([ast.Constant(text) for text in stored.unclear], ast.Load())] if stored.unclear else []
        statements: list[ast.stmt] = [
            ast.Assign([ast.Name(state, ast.Store())], _call("If", test, listed, _locals(), *found, *unclear)),
            self._branch(state, True, body),
            *self._set_names(state, "before", names),
            *self._set_places(state, "restore", places),
            *([self._branch(state, False, orelse)] if orelse else []),
            *self._set_names(state, "after", names),
            *self._set_places(state, "settle", places),
        ]
        for statement in statements:
            ast.copy_location(statement, node)
        return statements

    def _branch(self, state: str, wanted: bool, body: list[ast.stmt]) -> ast.stmt:
        done = ast.Expr(_method(state, "done", ast.Constant(wanted), _locals()))
        end = [done] if not body or not single_exit.ends(body[-1]) else []
        return ast.If(_method(state, "enters", ast.Constant(wanted)), [*body, *end], [])

    def _set_names(self, state: str, method: str, names: list[str]) -> list[ast.stmt]:
        if not names:
            return []
        targets = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        is_node = ast.Attribute(_name(state), "is_node", ast.Load())
        return [ast.If(is_node, [ast.Assign([targets], _method(state, method))], [])]

    def _set_places(self, state: str, method: str, places: list[ast.expr]) -> list[ast.stmt]:
        is_node = ast.Attribute(_name(state), "is_node", ast.Load())
        return [ast.If(is_node, [ast.Expr(_method(state, method))], [])] if places else []

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if _needs_its_scope(node):
            return self.generic_visit(node)
        test, body, orelse = self.visit(node.test), self.visit(node.body), self.visit(node.orelse)
        return ast.copy_location(_call("choose", test, _lazy(body), _lazy(orelse)), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        if _needs_its_scope(node):
            return self.generic_visit(node)
        function = "both" if isinstance(node.op, ast.And) else "either"
        values = [self.visit(value) for value in node.values]
        result = values[-1]
        for value in reversed(values[:-1]):
            result = _call(function, value, _lazy(result))
        return ast.copy_location(result, node)

    def visit_For(self, node: ast.For) -> Any:
        node.iter = self.visit(node.iter)
        return self._loop(node)

    def visit_While(self, node: ast.While) -> Any:
        node.test = self.visit(node.test)
        return self._loop(node)

    def _loop(self, node: Any) -> Any:
        outside = self._ifs_before_loop
        self._ifs_before_loop = len(self._ifs)
        node.body = self._block(single_exit.body_of_loop(node.body) if self._moves_rest else node.body)
        self._ifs_before_loop = outside
        node.orelse = self._block(node.orelse)
        return node

    @staticmethod
    def _after_leaving(how: str, ifs: list[str], node: ast.stmt) -> Any:
        if not ifs:
            return node
        asked = ast.Expr(_call("leave", ast.Constant(how), *map(_name, ifs)))
        return [ast.copy_location(asked, node), node]

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        return self._after_leaving("return", self._ifs, node)

    def visit_Break(self, node: ast.Break) -> Any:
        return self._after_leaving("break", self._ifs[self._ifs_before_loop :], node)

    def visit_Continue(self, node: ast.Continue) -> Any:
        return self._after_leaving("continue", self._ifs[self._ifs_before_loop :], node)

    def _unwinding(self, node: Any) -> tuple[list[ast.stmt], ast.stmt]:
        """A statement that notes which branches are open, and one that returns to them."""
        self._count += 1
        depth = f"__forebay_if_{self._count}_depth"
        noted = ast.Assign([ast.Name(depth, ast.Store())], _call("depth"))
        return [ast.copy_location(noted, node)], ast.copy_location(ast.Expr(_call("unwind", _name(depth))), node)

    def _try(self, node: Any) -> Any:
        if not single_exit.contains(node, (ast.If,)):
            return self.generic_visit(node)
        before, unwind = self._unwinding(node)
        self.generic_visit(node)
        for handler in node.handlers:
            handler.body.insert(0, unwind)
        if node.finalbody:
            node.finalbody.insert(0, unwind)
        return [*before, node]

    visit_Try = visit_TryStar = _try

    def visit_With(self, node: ast.With) -> Any:
        if not single_exit.contains(node, (ast.If,)):
            return self.generic_visit(node)
        before, unwind = self._unwinding(node)
        return [*before, self.generic_visit(node), unwind]

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1 or _needs_its_scope(node):
            if any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
                node.left, *node.comparators = map(_used, (node.left, *node.comparators))
            return node
        steps = [ast.Tuple([ast.Constant(type(op).__name__), _lazy(right)], ast.Load())
                 for op, right in zip(node.ops, node.comparators)]
        return ast.copy_location(_call("chain", node.left, *steps), node)

    def visit_Match(self, node: ast.Match) -> Any:
        self.generic_visit(node)
        node.subject = _used(node.subject)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return ast.copy_location(_call("negate", operand), node)
        node.operand = operand
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and node.func.id in _KEPT_CALLS):
            node.func = ast.copy_location(_call("convert", node.func), node.func)
        return node
