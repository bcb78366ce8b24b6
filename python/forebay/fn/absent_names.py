"""Operators that DALI has and Forebay does not have yet, and what is said when one is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import _core
from ..suggestions import refuse_unknown
from .dali_names import IN_FN
from .old_names import OLD_NAMES

OF_PYTHON = ("dl_tensor_python_function", "external_source", "python_function")
"""Operators of `fn` that the table does not describe."""


def absent() -> list[str]:
    """By DALI's names in `fn`, older ones among them."""
    there = {*OF_PYTHON, *(row["name"] for row in _core.operator_table())}
    return [name for name in IN_FN if OLD_NAMES.get(name, name) not in there]


def _key(path: str) -> str:
    """The same for functions and classes: of "readers.video_resize" and "readers.VideoResize"."""
    return path.replace("_", "").lower()


def note_on(path: str) -> str:
    """ ": DALI has it, Forebay not yet" for such an operator; which one, for a folder of them and for the last parts of a
    name; "" for all others."""
    key = _key(path)
    by_key = {_key(name): name for name in sorted(absent(), key=lambda name: name in OLD_NAMES)}
    if key in by_key:
        return ": DALI has it, Forebay not yet"
    inside = [name for name in by_key.values() if f".{key}." in f".{_key(name)}."]
    return f": DALI has '{inside[0]}', Forebay not yet" if inside else ""


def refuse_operator(module: str, known: Iterable[str]) -> Callable[[str], Any]:
    """The __getattr__ of `module`, which is "fn", "ops", "fn.readers"...

    :param known: the names of all operators, for suggestions.
    """
    folder = module.partition(".")[2]

    def note(name: str) -> str:
        path = f"{folder}.{name}" if folder else name
        is_there = any(_key(each) == _key(path) for each in known)  # but for capitals and underscores
        return "" if is_there else note_on(path)

    return refuse_unknown(module, "operator", known, note)
