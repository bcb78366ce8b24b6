"""The stub of what decorators of pipeline functions give: graph/pipeline_function.pyi, from Pipeline's arguments.

A ParamSpec cannot be joined with arguments by name, so a call has overloads: the function's own arguments, each checked;
and for each argument of a pipeline those calls that give it, where all arguments of pipelines are checked. A call that
gives none of them is so held to the function's own.
"""

from __future__ import annotations

import inspect

from forebay.pipeline import Pipeline

HEAD = '''"""Generated from the arguments of Pipeline by tools/generate_stubs.py: what `pipeline_def` and iterators' decorators
give. A call takes the function's own arguments, or those and, by name, a pipeline's; with these, the function's are not
checked, as types have no way to say so."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, TypedDict, TypeVar, overload

P = ParamSpec("P")
Rest = ParamSpec("Rest")
Made_co = TypeVar("Made_co", covariant=True)

class PipelineArguments(TypedDict, total=False):
'''

OF_CALLS = {"enable_conditionals": "bool", "debug": "bool"}
"""What the decorated function takes besides a pipeline's arguments, by name."""
OF_ITERATORS = {**OF_CALLS, "checkpoints": "Sequence[Any] | None"}


def pipeline_arguments() -> dict[str, str]:
    """Their types, by name."""
    parameters = inspect.signature(Pipeline.__init__).parameters
    return {name: str(each.annotation) for name, each in parameters.items() if name != "self"}


def call_overload(arguments: dict[str, str], given: str) -> str:
    """Calls that give the argument `given`."""
    lines = [f"{name}: {kind}" + ("" if name == given else " = ...") for name, kind in arguments.items()]
    listed = "".join(f"        {line},\n" for line in lines)
    return f"    @overload\n    def __call__(\n        self,\n        *args: Any,\n{listed}        **kwargs: Any,\n    ) -> Made_co: ...\n"


def function_class(name: str, arguments: dict[str, str]) -> str:
    text = f"\nclass {name}(Generic[P, Made_co]):\n    __name__: str\n    __qualname__: str\n    __wrapped__: Callable[P, Any]\n"
    text += "    @overload\n    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Made_co: ...\n"
    text += "".join(call_overload(arguments, given) for given in arguments)
    text += f"    @overload\n    def __get__(self, instance: None, owner: type) -> {name}[P, Made_co]: ...\n"
    text += f"    @overload\n    def __get__(\n        self: {name}[Concatenate[Any, Rest], Made_co], instance: object, owner: type\n"
    return f"{text}    ) -> {name}[Rest, Made_co]: ...\n"


def stub() -> str:
    arguments = pipeline_arguments()
    text = HEAD + "".join(f"    {name}: {kind}\n" for name, kind in arguments.items())
    text += function_class("PipelineFunction", {**arguments, **OF_CALLS})
    del arguments["checkpoint"]  # iterators take those of all pipelines
    return text + function_class("IteratorFunction", {**arguments, **OF_ITERATORS})
