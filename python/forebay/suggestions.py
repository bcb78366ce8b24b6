"""The name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'resize'?" for the known name that is nearest, "" where none is near. Of dotted names the last
    part counts: "image" means "decoders.image"."""
    by_last_part: dict[str, str] = {}
    for full_name in sorted(known):
        by_last_part.setdefault(full_name.rpartition(".")[2], full_name)
    near = difflib.get_close_matches(name.rpartition(".")[2], by_last_part, n=1)
    return f"; did you mean '{by_last_part[near[0]]}'?" if near else ""


def refuse_unknown(module: str, kind: str, known: Iterable[str]) -> Callable[[str], Any]:
    """A module's __getattr__: AttributeError with a suggestion for names that the module does not have."""

    def refuse(name: str) -> Any:
        hint = "" if name.startswith("_") else did_you_mean(name, known)
        raise AttributeError(f"{module} has no {kind} '{name}'{hint}")

    return refuse
