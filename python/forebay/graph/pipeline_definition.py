"""@pipeline_def: makes a pipeline of a function that writes its graph."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Callable, ParamSpec, TypeVar, Unpack, overload

from ..suggestions import did_you_mean
from . import conditional_rewriter
from .debug import DebugPipeline
from .pipeline import Pipeline

if TYPE_CHECKING:
    from .pipeline_function import PipelineArguments, PipelineFunction

__all__ = ["pipeline_def"]

P = ParamSpec("P")
Function = TypeVar("Function", bound=Callable[..., Any])

_PIPELINE_ARGUMENTS = frozenset(inspect.signature(Pipeline.__init__).parameters) - {"self"}


def _split(function: Callable[..., Any], arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Splits them into those of the pipeline and those of the function, which gets the names that both have."""
    parameters = inspect.signature(function).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for_pipeline = {}
    for_function = {}
    for name, value in arguments.items():
        if name in parameters or (takes_all and name not in _PIPELINE_ARGUMENTS):
            for_function[name] = value
        elif name in _PIPELINE_ARGUMENTS:
            for_pipeline[name] = value
        else:
            hint = did_you_mean(name, [*parameters, *_PIPELINE_ARGUMENTS])
            raise TypeError(f"'{name}' is an argument neither of {function.__name__}() nor of Pipeline{hint}")
    return for_pipeline, for_function


def _merged(defaults: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Arguments given at the call take the place of the decorator's, also under the other name of the batch size."""
    names = {"batch_size", "max_batch_size"}
    kept = {name: value for name, value in defaults.items() if not (name in names and names & given.keys())}
    return {**kept, **given}


@overload
def pipeline_def(
    fn: Callable[P, Any],
    *,
    enable_conditionals: bool = ...,
    debug: bool = ...,
    **pipeline_arguments: Unpack[PipelineArguments],
) -> PipelineFunction[P, Pipeline]: ...


@overload
def pipeline_def(
    fn: None = None,
    *,
    enable_conditionals: bool = ...,
    debug: bool = ...,
    **pipeline_arguments: Unpack[PipelineArguments],
) -> Callable[[Callable[P, Any]], PipelineFunction[P, Pipeline]]: ...


def pipeline_def(
    fn: Callable[..., Any] | None = None,
    *,
    enable_conditionals: bool = False,
    debug: bool = False,
    **pipeline_arguments: Any,
) -> Any:
    """Turns a function that calls operators and returns their outputs into one that makes a :class:`Pipeline`.

    Used bare, or with arguments of Pipeline that become the defaults. The decorated function takes its own arguments,
    and by keyword those of Pipeline.

    :param enable_conditionals: `if`, `and`, `or`, `not` and conditional expressions on DataNodes choose for each
        sample.
    :param debug: operators run one by one as they are called, for each batch; ``node.get()`` is what one gave.
    """
    unknown = pipeline_arguments.keys() - _PIPELINE_ARGUMENTS
    if unknown:
        name = sorted(unknown)[0]
        raise TypeError(f"pipeline_def has no argument '{name}'{did_you_mean(name, _PIPELINE_ARGUMENTS)}")

    def decorate(function: Callable[..., Any]) -> Callable[..., Pipeline]:
        @functools.wraps(function)
        def make(*args: Any, **arguments: Any) -> Pipeline:
            own = inspect.signature(function).parameters
            at_call = {name: arguments.pop(name) for name in ("enable_conditionals", "debug") if name not in own and name in arguments}
            for_pipeline, for_function = _split(function, arguments)
            converts = at_call.get("enable_conditionals", enable_conditionals)
            for_pipeline = _merged(pipeline_arguments, for_pipeline)
            write = conditional_rewriter.convert(function) if converts else function
            if at_call.get("debug", debug):
                debugged = DebugPipeline(lambda: write(*args, **for_function), **for_pipeline)
                debugged._has_conditionals = converts
                return debugged
            pipeline = Pipeline(**for_pipeline)
            pipeline._has_conditionals = converts
            try:
                with pipeline:
                    outputs = write(*args, **for_function)
                if outputs is None:
                    outputs = ()
                pipeline.set_outputs(*(outputs if isinstance(outputs, (tuple, list)) else (outputs,)))
            finally:
                pipeline._marks.clear()
            return pipeline

        make._is_pipeline_def = True  # type: ignore[attr-defined]
        return make

    return decorate(fn) if fn is not None else decorate


def do_not_convert(function: Function) -> Function:
    """Marks a function called in a pipeline with conditionals: its `if`s are left as they are."""
    function._forebay_do_not_convert = True  # type: ignore[attr-defined]
    return function
