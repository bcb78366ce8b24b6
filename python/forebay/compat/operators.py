"""Which of DALI's operators Forebay has, and whether they give what DALI's give: `python -m forebay.compat --operators`
and docs/operators/dali.md say so."""

from __future__ import annotations

import argparse
import collections
import fnmatch
import importlib.resources
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ..fn import absent_names, generate
from ..fn.dali_names import ELSEWHERE, IN_FN, VERSION
from ..fn.old_names import OLD_NAMES

STATES = {
    "same": "gives what DALI's gives, within the bars of docs/design/parity.md",
    "close": "so too; its last bits depend on the machine's C library",
    "departs": "so too, but for what docs/operators/departures.md lists",
    "absent": "Forebay does not have it yet",
}

_OF_PYTHON = "python"
"""The family of what no row of the operator table describes."""


@dataclass(frozen=True)
class Departure:
    """Where results differ from DALI's on purpose: of operators, by commas and with wildcards, or of a part of the
    interface ("iterators")."""

    operator: str
    departure: str
    reason: str

    def is_of(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.operator.split(", "))


@dataclass(frozen=True)
class DaliOperator:
    """A name of DALI's. `operator` is Forebay's name for it and `family` the folder that it lies in; both are "" where it
    is absent."""

    name: str
    state: str
    operator: str
    family: str
    departures: tuple[Departure, ...]


def departures() -> list[Departure]:
    text = importlib.resources.files(__package__).joinpath("departures.json").read_text()
    return [Departure(**row) for row in json.loads(text)]


def operators() -> list[DaliOperator]:
    """One for each name of DALI's, in the order of the names."""
    rows = {str(row["name"]): row for row in generate.table()}
    absent = set(absent_names.absent())
    every = departures()

    def of(name: str) -> DaliOperator:
        if name in absent:
            return DaliOperator(name, "absent", "", "", ())
        operator = OLD_NAMES.get(name, name)
        row = rows.get(operator)
        found = tuple(each for each in every if each.is_of(operator))
        state = "departs" if found else "same" if row is None or row["is_exact"] else "close"
        return DaliOperator(name, state, operator, str(row["family"]) if row else _OF_PYTHON, found)

    return [of(name) for name in (*IN_FN, *ELSEWHERE)]


def counts(found: Sequence[DaliOperator]) -> dict[str, int]:
    """How many are in each state."""
    counted = collections.Counter(each.state for each in found)
    return {state: counted[state] for state in STATES}


def text(found: Sequence[DaliOperator]) -> str:
    """A line for each, and how many are in each state."""
    width = max(len(each.name) for each in found)
    lines = []
    for each in found:
        newer = f"as {each.operator}" if each.operator not in ("", each.name) else ""
        lines.append(f"{each.name:{width}}  {each.state:7}  {each.family:12}  {newer}".rstrip())
    lines += ["", f"DALI {VERSION} has {len(found)} names; here"]
    lines += [f"{count:5} {state:7}  {STATES[state]}" for state, count in counts(found).items()]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """What `python -m forebay.compat` does with these arguments."""
    parser = argparse.ArgumentParser(prog="python -m forebay.compat", description="Which of DALI's operators are here.")
    parser.add_argument("--operators", action="store_true", required=True, help="list all of them")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    options = parser.parse_args(arguments)
    found = operators()
    if options.json:
        print(json.dumps({"dali": VERSION, "counts": counts(found), "operators": [asdict(each) for each in found]}))
    else:
        print(text(found))
    return 0
