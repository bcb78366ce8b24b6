"""The cases in which Forebay differs, by how and why: known_differences.json. Run, it prints what differs and is not
listed; with --mend, it takes out what no longer differs. By the Python that runs the tests."""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
from typing import Any

from comparing import difference
from running import outcomes_by

HERE = pathlib.Path(__file__).resolve().parent
LISTED = HERE / "known_differences.json"
FOREBAY = [sys.executable, "-W", "ignore", "-m", "forebay.compat"]


def listed() -> dict[str, str]:
    """{id: how it differs}"""
    groups = json.loads(LISTED.read_text())
    return {name: how for how, reasons in groups.items() for names in reasons.values() for name in names}


def recorded() -> dict[str, Any]:
    return json.loads((HERE / "outcomes.json").read_text())["results"]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        got = outcomes_by(FOREBAY, pathlib.Path(folder))
    found = {name: difference(name, got[name], want) for name, want in recorded().items() if name in got}
    groups = json.loads(LISTED.read_text())
    known = listed()
    for name, how in found.items():
        if how and known.get(name) != how:
            print(f"{name} {how}: {json.dumps(got[name])[:300]}")
    if "--mend" in sys.argv:
        for how, reasons in groups.items():
            reasons.update(
                {why: [name for name in names if found.get(name) == how] for why, names in reasons.items()}
            )
        kept = {how: {why: names for why, names in reasons.items() if names} for how, reasons in groups.items()}
        LISTED.write_text(json.dumps({how: kept[how] for how in kept if kept[how]}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
