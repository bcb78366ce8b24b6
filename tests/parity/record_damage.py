"""What DALI makes of the flips of `damage_cases.py`: run with DALI's Python.

    python record_damage.py OUT FOLDER COUNT
"""

from __future__ import annotations

import json
import os
import pathlib
import sys

import nvidia.dali
import nvidia.dali.fn
from damage_cases import Flip, changed_shares, flips

AT_ONCE = 50


def shares_apart(cases: list[Flip]) -> list[float | str | None]:
    """In a child process: DALI may crash, which counts for one flip."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.write(write, json.dumps(changed_shares(nvidia.dali, cases)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as source:
        text = source.read()
    os.waitpid(child, 0)
    if text:
        return json.loads(text)
    return ["crash"] if len(cases) == 1 else [share for case in cases for share in shares_apart([case])]


def main() -> None:
    out, folder, count = sys.argv[1:]
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    cases = list(flips(pathlib.Path(folder), int(count)))
    shares = [share for at in range(0, len(cases), AT_ONCE) for share in shares_apart(cases[at : at + AT_ONCE])]
    pathlib.Path(out).write_text(json.dumps(shares))


if __name__ == "__main__":
    main()
