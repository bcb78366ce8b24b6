"""Functions whose `if`, `and`, `or`, `not`, chains of comparisons and conditional expressions work on DataNodes: made of
functions of the user, rewritten by `branch_rewriter`.

Functions that the code calls are rewritten the same way when they are called, except those of installed libraries.
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

from . import branches, guards, places, stores, values
from .branch_rewriter import RUNTIME, Rewriter
from .data_node import NoTruthValueError


class _Runtime:
    """What the name RUNTIME stands for in rewritten code."""

    If = branches.If
    choose = staticmethod(branches.choose)
    both = staticmethod(branches.both)
    either = staticmethod(branches.either)
    negate = staticmethod(branches.negate)
    chain = staticmethod(branches.chain)
    used = staticmethod(values.used)
    leave = staticmethod(branches.leave)
    depth = staticmethod(guards.depth)
    unwind = staticmethod(guards.unwind)
    kept = staticmethod(guards.kept)
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
    if _is_library(function) or RUNTIME in function.__code__.co_freevars:
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
    uses = ast.Expr(ast.Name(RUNTIME, ast.Load()))  # makes it a free variable even where nothing was rewritten
    has_doc = ast.get_docstring(definition) is not None
    definition.body.insert(1 if has_doc else 0, uses)
    return [definition, ast.Return(ast.Name(definition.name, ast.Load()))]


@functools.lru_cache(maxsize=1024)
def _rewritten_code(code: types.CodeType, owner: str) -> types.CodeType | None:
    """The code of the rewritten function, with RUNTIME among its free variables; None for what is too deep. `owner`: the
    class that it is defined in, or ""."""
    for moves_rest in (True, False):
        definition, first_line = _definition_of(code)
        try:
            module = _module_of(definition, code, Rewriter(moves_rest), owner)
            ast.increment_lineno(module, first_line - 1)
            compiled = compile(module, code.co_filename, "exec", dont_inherit=True, flags=_future_flags(code))
        except (RecursionError, MemoryError):  # branches in branches
            continue
        except SyntaxError as error:
            if "nested blocks" not in str(error):
                raise
            continue
        outer_code = next(item for item in compiled.co_consts if isinstance(item, types.CodeType))
        name = "<lambda>" if isinstance(definition, ast.Lambda) else definition.name
        return next(item for item in outer_code.co_consts if isinstance(item, types.CodeType) and item.co_name == name)
    return None


def _module_of(
    definition: ast.FunctionDef | ast.Lambda, code: types.CodeType, rewriter: Rewriter, owner: str
) -> ast.Module:
    """The rewritten definition within a function that has its free variables as parameters."""
    if isinstance(definition, ast.FunctionDef):
        definition.decorator_list = []
    definition = rewriter.visit(stores.Mangler(owner).visit(definition))
    body = _returned(definition)
    outer_names = [RUNTIME, *code.co_freevars]
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
    return module


def _future_flags(code: types.CodeType) -> int:
    import __future__

    return code.co_flags & __future__.annotations.compiler_flag


_NO_SOURCE = "needs its source code, and there is none: it was made by exec() or typed into a session; write it in a file"
_TOO_DEEP = "cannot be: it has too many branches in each other; move some into functions of their own"


def _as_it_is(function: types.FunctionType, why: str) -> Callable[..., Any]:
    """Runs `function` unchanged. Should it branch on a DataNode, the error explains `why` it cannot."""

    @functools.wraps(function)
    def run(*args: Any, **arguments: Any) -> Any:
        try:
            return function(*args, **arguments)
        except NoTruthValueError as error:
            raise TypeError(f"{function.__name__}() branches on a DataNode, which {why}") from error

    return run


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, rewritten. It shares globals, closure and defaults with the original. A function without source code,
    or with branches too deep, is run as it is."""
    if isinstance(function, types.MethodType):
        return types.MethodType(convert(function.__func__), function.__self__)
    if not isinstance(function, types.FunctionType):
        return function
    try:
        code = _rewritten_code(function.__code__, stores.class_of(function.__qualname__))
    except OSError:
        return _as_it_is(function, _NO_SOURCE)
    if code is None:
        return _as_it_is(function, _TOO_DEEP)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[RUNTIME] = types.CellType(_Runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    result = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    result.__doc__ = function.__doc__
    result.__dict__.update(function.__dict__)
    return result
