"""Rewrites functions so that `if`, `and`, `or`, `not`, chains of comparisons and conditional expressions work on
DataNodes.

    if condition:            _1 = fb.If(condition, ("x",), locals())
        x = f(x)             if _1.enters(True):
    else:                        with _1.branch(True):
        x = g(x)                     x = f(x)
                                     _1.done(True, locals())
                             if _1.is_node:
                                 x, = _1.before()
                             if _1.enters(False):
                                 with _1.branch(False):
                                     x = g(x)
                                     _1.done(False, locals())
                             if _1.is_node:
                                 x, = _1.after()

What else the branches set (attributes, items, global variables) is looked up, put back and merged by `Place`s. With a
plain condition exactly one branch runs and nothing else changes. `return` in a branch is first turned into an
assignment, and `continue` goes: what follows the `if` moves into the branches that go on. Functions that the code calls are rewritten the
same way when they are called, except those of installed libraries.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import sysconfig
import textwrap
import types
from typing import Any, Callable

from . import branches, places, single_exit, stores
from .data_node import NoTruthValueError

_RUNTIME = "__forebay"
_KEPT_CALLS = frozenset({"super", "locals", "globals", "vars", "eval", "exec", "dir", "print", "isinstance", "len"})


class _Names(ast.NodeVisitor):
    """The variables that statements assign, in order."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store) and not node.id.startswith("__forebay_if"):
            self.names[node.id] = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names[node.name] = None

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def visit_ListComp(self, node: ast.AST) -> None:
        pass

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp


def _assigned(statements: list[ast.stmt]) -> list[str]:
    visitor = _Names()
    for statement in statements:
        visitor.visit(statement)
    return list(visitor.names)


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _call(function: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_name(_RUNTIME), function, ast.Load()), list(arguments), [])


def _method(owner: str, method: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_name(owner), method, ast.Load()), list(arguments), [])


def _lazy(expression: ast.expr) -> ast.Lambda:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, expression)


def _needs_its_scope(expression: ast.expr) -> bool:
    """Whether it would mean something else in a function of its own, which _lazy() makes."""
    return single_exit.contains(expression, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await))


def _locals() -> ast.expr:
    return ast.Call(_name("locals"), [], [])


class _Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self._count = 0
        self._nonlocals: list[set[str]] = [set()]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        declared = {name for item in ast.walk(node) if isinstance(item, ast.Global) for name in item.names}
        self._nonlocals.append(declared)
        node.body = self._block(single_exit.body_of_function(node))
        node.args = self.visit(node.args)
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        self._nonlocals.pop()
        return node

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in block:
            rewritten = self.visit(statement)
            result.extend(rewritten if isinstance(rewritten, list) else [rewritten])
        return result

    def visit_If(self, node: ast.If) -> Any:
        self._count += 1
        state = f"__forebay_if_{self._count}"
        assigned = _assigned([*node.body, *node.orelse])
        names = [name for name in assigned if name not in self._nonlocals[-1]]
        stored = stores.of([*node.body, *node.orelse], assigned)
        places = [stores.place(_RUNTIME, target) for target in stored.clear]
        places += [stores.global_place(_RUNTIME, name) for name in assigned if name in self._nonlocals[-1]]
        test = self.visit(node.test)
        body = self._block(node.body)
        orelse = self._block(node.orelse)
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
        scope = ast.withitem(_method(state, "branch", ast.Constant(wanted)))
        end = [done] if not body or not single_exit.ends(body[-1]) else []
        return ast.If(_method(state, "enters", ast.Constant(wanted)), [ast.With([scope], [*body, *end])], [])

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
        node.body = self._block(single_exit.body_of_loop(node.body))
        node.orelse = self._block(node.orelse)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1 or _needs_its_scope(node):
            return node
        steps = [ast.Tuple([ast.Constant(type(op).__name__), _lazy(right)], ast.Load())
                 for op, right in zip(node.ops, node.comparators)]
        return ast.copy_location(_call("chain", node.left, *steps), node)

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

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node


class _Runtime:
    """What the name _RUNTIME stands for in rewritten code."""

    If = branches.If
    choose = staticmethod(branches.choose)
    both = staticmethod(branches.both)
    either = staticmethod(branches.either)
    negate = staticmethod(branches.negate)
    chain = staticmethod(branches.chain)
    attribute = staticmethod(places.attribute)
    item = staticmethod(places.item)
    global_variable = staticmethod(places.global_variable)

    @staticmethod
    def convert(function: Any) -> Any:
        return convert_called(function)


_LIBRARY_ROOTS = tuple({sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")})


def _is_library(function: types.FunctionType) -> bool:
    module = function.__module__ or ""
    top = module.partition(".")[0]
    if top == __name__.partition(".")[0] or top in sys.stdlib_module_names:
        return True
    return function.__code__.co_filename.startswith(_LIBRARY_ROOTS)


def convert_called(function: Any) -> Any:
    """What rewritten code calls instead of `function`: a rewritten version of the user's own functions, `function`
    itself for all others."""
    if isinstance(function, types.MethodType):
        inner = convert_called(function.__func__)
        return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
    if type(function) is functools.partial:
        return functools.partial(convert_called(function.func), *function.args, **function.keywords)
    if not isinstance(function, types.FunctionType):
        return _convert_object(function)
    if getattr(function, "_forebay_do_not_convert", False) or getattr(function, "_is_pipeline_def", False):
        return function
    if _is_library(function) or _RUNTIME in function.__code__.co_freevars:
        return function
    try:
        return convert(function)
    except (TypeError, SyntaxError):  # what cannot be rewritten runs as it is
        return function


def _convert_object(value: Any) -> Any:
    """An object that can be called, as its rewritten `__call__`, where that is a function of the user."""
    call = None if isinstance(value, type) else getattr(type(value), "__call__", None)
    if not isinstance(call, types.FunctionType):
        return value
    inner = convert_called(call)
    return value if inner is call else types.MethodType(inner, value)


def _definition_of(code: types.CodeType) -> tuple[ast.FunctionDef | ast.Lambda, int]:
    """The function's definition, and the line of the file that its first line is."""
    if code.co_name == "<lambda>":
        return stores.lambda_of(code), 1
    lines, first_line = inspect.getsourcelines(code)
    definition = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise SyntaxError("only functions written with `def`, and lambdas, can branch on DataNodes")
    return definition, first_line


def _returned(definition: ast.FunctionDef | ast.Lambda) -> list[ast.stmt]:
    """Statements that define and return the rewritten function."""
    if isinstance(definition, ast.Lambda):
        return [ast.Return(definition)]
    uses = ast.Expr(_name(_RUNTIME))  # makes it a free variable even where nothing was rewritten
    has_doc = ast.get_docstring(definition) is not None
    definition.body.insert(1 if has_doc else 0, uses)
    return [definition, ast.Return(_name(definition.name))]


@functools.lru_cache(maxsize=1024)
def _rewritten_code(code: types.CodeType, owner: str) -> types.CodeType:
    """The code of the rewritten function, with _RUNTIME among its free variables. `owner`: the class that it is defined
    in, or ""."""
    definition, first_line = _definition_of(code)
    if isinstance(definition, ast.FunctionDef):
        definition.decorator_list = []
    definition = _Rewriter().visit(stores.Mangler(owner).visit(definition))
    body = _returned(definition)
    outer_names = [_RUNTIME, *code.co_freevars]
    parameters = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in outer_names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    definition.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
    definition.args.kw_defaults = [None if item is None else ast.Constant(None) for item in definition.args.kw_defaults]
    outer = ast.FunctionDef("__forebay_outer", parameters, body, [])
    if sys.version_info >= (3, 12):
        outer.type_params = []
    module = ast.Module([outer], [])
    ast.fix_missing_locations(module)
    ast.increment_lineno(module, first_line - 1)
    compiled = compile(module, code.co_filename, "exec", dont_inherit=True, flags=_future_flags(code))
    outer_code = next(item for item in compiled.co_consts if isinstance(item, types.CodeType))
    name = "<lambda>" if isinstance(definition, ast.Lambda) else definition.name
    return next(item for item in outer_code.co_consts if isinstance(item, types.CodeType) and item.co_name == name)


def _future_flags(code: types.CodeType) -> int:
    import __future__

    return code.co_flags & __future__.annotations.compiler_flag


def _as_it_is(function: types.FunctionType) -> Callable[..., Any]:
    """Runs `function` unchanged, as its source code is not known. Should it branch on a DataNode, the error explains
    that."""

    @functools.wraps(function)
    def run(*args: Any, **arguments: Any) -> Any:
        try:
            return function(*args, **arguments)
        except NoTruthValueError as error:
            raise TypeError(
                f"{function.__name__}() branches on a DataNode, which needs its source code, and there is none: it was "
                "made by exec() or typed into a session; write it in a file"
            ) from error

    return run


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, rewritten. It shares globals, closure and defaults with the original. A function without source code
    is run as it is."""
    if isinstance(function, types.MethodType):
        return types.MethodType(convert(function.__func__), function.__self__)
    if not isinstance(function, types.FunctionType):
        return function
    try:
        code = _rewritten_code(function.__code__, stores.class_of(function.__qualname__))
    except OSError:
        return _as_it_is(function)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[_RUNTIME] = types.CellType(_Runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    result = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    result.__doc__ = function.__doc__
    result.__dict__.update(function.__dict__)
    return result
