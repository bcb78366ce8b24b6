"""Modules of other frameworks, imported only when they are used."""

from __future__ import annotations

import importlib
import sys
from typing import Any


def import_framework(name: str) -> Any:
    """The module; ImportError where it is not installed."""
    return importlib.import_module(name)


def loaded_framework(name: str) -> Any:
    """The module if the program has imported it; without that, no object of its classes can exist."""
    return sys.modules.get(name)


def is_of(obj: Any, module: str, name: str) -> bool:
    """Whether `obj` is of the class of that name in the module, without importing it."""
    kind = getattr(loaded_framework(module), name, None)
    return isinstance(kind, type) and isinstance(obj, kind)
