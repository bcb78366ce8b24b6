"""What may be run again, and the list of what was: only a passed deadline or a port that was taken is chance.

A crash, a wrong value or a sanitizer's report is never run again. What passes twice, alone, after such a failure leaves
the run green; its name is printed as FLAKY and kept in build/flaky.txt.
"""

from __future__ import annotations

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "build" / "flaky.txt"
REPEATS = 2
NO_PORT = re.compile(r"Address already in use|EADDRINUSE|Cannot assign requested address|EADDRNOTAVAIL")


def note(name: str, why: str) -> None:
    line = f"FLAKY {name}: {why}"
    print(line, flush=True)
    LIST.parent.mkdir(exist_ok=True)
    with LIST.open("a") as file:
        file.write(line + "\n")
