"""Modules of other frameworks, named where they are used: none is imported before it is wanted."""

from __future__ import annotations

import importlib
import sys
from typing import Any


def import_framework(name: str) -> Any:
    """The module; ImportError where it is not installed."""
    return importlib.import_module(name)


def loaded_framework(name: str) -> Any:
    """The module if the program has imported it: an object of it cannot exist otherwise."""
    return sys.modules.get(name)


def is_of(obj: Any, module: str, name: str) -> bool:
    """Whether `obj` is of the class of that name in the module, without importing it."""
    kind = getattr(loaded_framework(module), name, None)
    return isinstance(kind, type) and isinstance(obj, kind)
