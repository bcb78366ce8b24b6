"""Runs scripts written for `nvidia.dali` with Forebay behind that name, in this process only.

`install()` makes ``nvidia.dali`` and its submodules names of Forebay's modules. Nothing does that by itself: only
``python -m forebay.compat SCRIPT`` and calls of `install()`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any, Sequence

_ROOT = "nvidia.dali"
_TARGETS = {
    "nvidia.dali": "forebay",
    "nvidia.dali.pipeline": "forebay.compat.pipeline",
    "nvidia.dali.pipeline.experimental": "forebay.compat.pipeline",
}
"""Where a module is not simply the one of the same name."""


class _AliasLoader(importlib.abc.Loader):
    """Gives the module of another name, which keeps its own identity."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self._target)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self._own_spec


class _AliasFinder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != _ROOT and not fullname.startswith(_ROOT + "."):
            return None
        name = _TARGETS.get(fullname, "forebay" + fullname[len(_ROOT) :])
        if not _exists(name):
            raise ModuleNotFoundError(f"{fullname} is not offered by Forebay", name=fullname)
        return importlib.machinery.ModuleSpec(fullname, _AliasLoader(name), is_package=True)


def _exists(name: str) -> bool:
    if name in sys.modules:
        return True
    parent = name.rpartition(".")[0]
    if not _exists(parent) if parent else False:
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _nvidia_package() -> types.ModuleType:
    """The package `nvidia`: the one that is installed, or an empty one."""
    try:
        return importlib.import_module("nvidia")
    except ImportError:
        package = types.ModuleType("nvidia")
        package.__path__ = []
        sys.modules["nvidia"] = package
        return package


def install() -> None:
    """Makes `import nvidia.dali` give Forebay, in this process. Once is enough; more does no harm."""
    if any(isinstance(finder, _AliasFinder) for finder in sys.meta_path):
        return
    loaded = sys.modules.get(_ROOT)
    if loaded is not None:
        raise RuntimeError("nvidia.dali is imported already; call install() before that")
    package: Any = _nvidia_package()
    sys.meta_path.insert(0, _AliasFinder())
    package.dali = importlib.import_module(_ROOT)
    importlib.import_module("nvidia.dali.pipeline")  # its names come from two of our modules
