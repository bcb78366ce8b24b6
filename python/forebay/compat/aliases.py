"""Modules under other names, within this process."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Mapping, Sequence


class _AliasLoader(importlib.abc.Loader):
    """Loads a module under a second name; there is still one module."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self._target)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self._own_spec


class AliasFinder(importlib.abc.MetaPathFinder):
    """Finds ``root`` and what is below it in Forebay: by ``targets``, where the longest name decides, and the same
    names below a target's."""

    def __init__(self, root: str, targets: Mapping[str, str]) -> None:
        self.root = root
        self._targets = targets

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.root and not fullname.startswith(self.root + "."):
            return None
        name = self._target_of(fullname)
        if not exists(name):
            raise ModuleNotFoundError(f"{fullname} is not offered by Forebay", name=fullname)
        return importlib.machinery.ModuleSpec(fullname, _AliasLoader(name), is_package=True)

    def _target_of(self, fullname: str) -> str:
        known = fullname
        while known not in self._targets:
            known = known.rpartition(".")[0]
        return self._targets[known] + fullname[len(known) :]


def exists(name: str) -> bool:
    """True when the module can be imported."""
    if name in sys.modules:
        return True
    parent = name.rpartition(".")[0]
    if not exists(parent) if parent else False:
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def put_first(finder: AliasFinder) -> bool:
    """Makes the finder the first to be asked; False when it is there already. RuntimeError when the root is imported
    from elsewhere."""
    if any(isinstance(present, AliasFinder) and present.root == finder.root for present in sys.meta_path):
        return False
    if finder.root in sys.modules:
        raise RuntimeError(f"{finder.root} is imported already; call install() before that")
    sys.meta_path.insert(0, finder)
    return True


def put_last(finder: AliasFinder) -> None:
    """Makes the finder stand in for modules that are not installed."""
    if not any(isinstance(present, AliasFinder) and present.root == finder.root for present in sys.meta_path):
        sys.meta_path.append(finder)
