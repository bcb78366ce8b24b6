"""Which function of a Python file defines the pipeline that is served, and what that pipeline may be."""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any, Callable, Iterator

from ...errors import InvalidError
from ...graph.pipeline import Pipeline
from ...graph.sources import QueueFeed

Definition = Callable[..., Any]


def _holds_none(module: types.ModuleType) -> bool:
    """Whether it is Forebay's own, or Python's: there is nothing to find in it."""
    root = (module.__name__ or "").partition(".")[0]
    return root == "forebay" or root in sys.stdlib_module_names


def _modules_of(head: types.ModuleType) -> Iterator[types.ModuleType]:
    """It, and the modules that it has as members, and those that they have."""
    found = [head]
    seen = {id(head)}
    while found:
        module = found.pop()
        yield module
        for member in list(vars(module).values()):
            if isinstance(member, types.ModuleType) and id(member) not in seen and not _holds_none(member):
                seen.add(id(member))
                found.append(member)


def _functions_of(module: types.ModuleType, mark: str) -> list[Definition]:
    """The functions in it that have the mark, each once."""
    found = {id(member): member for member in vars(module).values() if getattr(member, mark, False) is True}
    return [member for member in found.values() if inspect.isfunction(member)]


def marked_in(head: types.ModuleType) -> list[Definition]:
    """The functions marked with `@autoserialize` in a module and in those that it imports."""
    found = {id(each): each for module in _modules_of(head) for each in _functions_of(module, "_is_autoserialize")}
    return list(found.values())


def _names(functions: list[Definition]) -> str:
    return ", ".join(sorted(f"{function.__name__}()" for function in functions))


def definition_in(module: types.ModuleType) -> Definition:
    """The function of a file that is marked, or else its only one that defines a pipeline."""
    marked = marked_in(module)
    if len(marked) > 1:
        raise InvalidError(f"several functions are marked with @autoserialize, {_names(marked)}; mark one")
    if marked:
        return marked[0]
    every = _functions_of(module, "_is_pipeline_def")
    own = [function for function in every if function.__module__ == module.__name__] or every
    if len(own) > 1:
        raise InvalidError(f"several functions define a pipeline, {_names(own)}; mark one with @autoserialize")
    if not own:
        raise InvalidError("no function defines a pipeline; decorate one with @pipeline_def, and with @autoserialize above it")
    return own[0]


def _python_parts(pipeline: Pipeline) -> list[str]:
    """The operators that only this process can run."""
    nodes = pipeline._graph.nodes()
    sources = [number for number, feed in pipeline._feeds.items() if not isinstance(feed, QueueFeed)]
    parts = {number: "has a Python source; give it a name instead, by which it is fed" for number in sources}
    parts.update({number: "calls a Python function" for number in pipeline._functions})
    return [f"'{nodes[number].get('name') or nodes[number]['op']}' {what}" for number, what in sorted(parts.items())]


def pipeline_of(definition: Definition) -> Pipeline:
    """The pipeline that it makes, which can be saved."""
    wanted = [
        f"'{parameter.name}'"
        for parameter in inspect.signature(definition).parameters.values()
        if parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if wanted:
        raise InvalidError(f"{definition.__name__}() takes {', '.join(wanted)}; give a default, as it is called without")
    pipeline = definition()
    if not isinstance(pipeline, Pipeline):
        raise InvalidError(f"{definition.__name__}() makes a {type(pipeline).__name__}, and a Pipeline is wanted")
    parts = _python_parts(pipeline)
    if parts:
        raise InvalidError(f"{definition.__name__}() cannot be saved: {'; '.join(parts)}")
    return pipeline
