"""What stands for `nvidia.dali._utils.autoserialize`, which servers call to save the pipeline of a module."""

from __future__ import annotations

import os
import types

from ..errors import InvalidError
from ..plugin.triton.definition import marked_in

__all__ = ["invoke_autoserialize"]


def invoke_autoserialize(head_module: types.ModuleType, filename: str | os.PathLike[str]) -> None:
    """Saves the pipeline whose function is marked with `@autoserialize`, the only one in the module and in those that it
    imports."""
    marked = marked_in(head_module)
    if len(marked) != 1:
        names = ", ".join(function.__name__ for function in marked) or "none"
        raise InvalidError(f"one function is to be marked with @autoserialize; found in {head_module.__name__}: {names}")
    marked[0]().serialize(filename=filename)
