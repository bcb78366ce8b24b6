"""Libraries of operators written in C++, as `docs/custom-operators.md` describes them.

    from forebay import fn, plugin_manager
    plugin_manager.load_library("./libforebay_my_lab.so")
    mixed = fn.my_lab.blend(first, second, weight=0.25)
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from . import _core, fn, ops
from .errors import NotThereError
from .fn import generate
from .graph import debug_step

__all__ = ["load_directory", "load_library"]

_PREFIXES = ("libforebay_", "libdali_")
_lock = threading.RLock()
_shown: set[str] = set()


def _unlock_in_child() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_unlock_in_child)


def load_library(library_path: str | bytes | os.PathLike[Any], global_symbols: bool = False) -> None:
    """Loads a shared library and adds its operators to `fn` and `ops`, all or none. One that is loaded already is left
    as it is. It stays loaded until the process ends.

    :param library_path: where it is; a name without ``/`` is looked for where the system keeps libraries.
    :param global_symbols: whether libraries loaded later may use its symbols.

    RuntimeError, with the path and the reason, for a file that is not there or no library, one without operators of
    Forebay or made for another version of the border, one whose table breaks a rule, and for names that are taken.
    """
    with _lock:
        _show_added()
        _core.load_operators(library_path, bool(global_symbols), _reserved_names())
        _show_added()


def load_directory(plugin_dir_path: str | os.PathLike[str], global_symbols: bool = False) -> None:
    """Loads the libraries in a folder and the folders below, in the order of their names: files that are called
    ``libforebay_NAME.so``, or as for DALI ``libdali_NAME.so``. The first that cannot be loaded ends it with its error.
    """
    if not os.path.isdir(plugin_dir_path):
        raise NotThereError(f"Invalid location: {os.fspath(plugin_dir_path)} is not a folder")
    for folder, _, names in sorted(os.walk(plugin_dir_path)):
        for name in sorted(names):
            if name.startswith(_PREFIXES) and name.endswith(".so"):
                load_library(os.path.join(folder, name), global_symbols)


def _reserved_names() -> list[str]:
    """The names that operators cannot begin with: what `fn` and `ops` have beside operators and folders of them."""
    taken = {name for name in {*vars(fn), *vars(ops)} if not name.startswith("_")}
    operators = {str(row["name"]).partition(".")[0] for row in generate.table()}
    classes = {name.partition("__")[0] for name in ops.schemas()}
    return sorted(taken - operators - classes)


def _show_added() -> None:
    """Makes functions and classes for operators that have none yet."""
    rows = [row for row in _core.added_operators() if row["name"] not in _shown]
    if not rows:
        return
    generate.table.cache_clear()
    debug_step.forget_rows()
    for row in rows:
        generate.add_function(fn.__name__, vars(fn), row)
        ops.add(row)
        _shown.add(row["name"])
    dynamic = sys.modules.get("forebay.dynamic")  # otherwise it finds them when it is imported
    if dynamic is not None:
        dynamic.operators.add_functions(dynamic.__name__, vars(dynamic))
