"""The name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any

_MOST_SHOWN = 3


def _by_last_part(known: Iterable[str]) -> dict[str, str]:
    """Names and the folders they are in by their last parts, in small letters; of several the one least deep."""
    names = set(known)
    folders = {name.rsplit(".", depth)[0] for name in names for depth in range(1, name.count(".") + 1)}
    found: dict[str, str] = {}
    for full_name in sorted(names | folders, key=lambda name: (name.count("."), name in folders, name)):
        found.setdefault(full_name.rpartition(".")[2].lower(), full_name)
    return found


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'resize'?" for the known name that is nearest, "" where none is near. Of dotted names the last
    part counts: "image" means "decoders.image". A folder is shown with what is in it: "decoder" means "decoders"."""
    names = list(known)
    by_last_part = _by_last_part(names)
    near = difflib.get_close_matches(name.rpartition(".")[2].lower(), by_last_part, n=1)
    if not near:
        return ""
    meant = by_last_part[near[0]]
    if meant in names:
        return f"; did you mean '{meant}'?"
    inside = sorted(each for each in names if each.startswith(f"{meant}."))
    more = ["..."] if len(inside) > _MOST_SHOWN else []
    return f"; did you mean '{meant}' ({', '.join([*inside[:_MOST_SHOWN], *more])})?"


def refuse_unknown(
    module: str, kind: str, known: Iterable[str], note_on: Callable[[str], str] | None = None
) -> Callable[[str], Any]:
    """A module's __getattr__: AttributeError with a suggestion for names that the module does not have.

    :param note_on: what is said instead of a suggestion; "" for nothing.
    """

    def refuse(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{module} has no {kind} '{name}'")
        note = note_on(name) if note_on is not None else ""
        raise AttributeError(f"{module} has no {kind} '{name}'{note or did_you_mean(name, known)}")

    return refuse
