"""Runs the cases and writes a line for each, its id and what came of it: runner.py OUTPUT [KIND...]. By a Python that
has nvidia-dali, or under `python -m forebay.compat`. What stands in OUTPUT already is not run again."""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main() -> None:
    sys.path.insert(0, str(HERE))
    for path in sorted(HERE.glob("*_cases.py")):
        importlib.import_module(path.stem)
    from catalogue import CASES
    from files import remove_all
    from outcomes import outcome

    output = pathlib.Path(sys.argv[1])
    done = {json.loads(line)[0] for line in output.read_text().splitlines()} if output.exists() else set()
    with output.open("a") as file:
        for name, function in CASES.items():
            if name in done or (sys.argv[2:] and name.split("/")[0] not in sys.argv[2:]):
                continue
            file.write(f'["{name}", ')
            file.flush()
            file.write(json.dumps(outcome(function)) + "]\n")
            file.flush()
    remove_all()
    os._exit(0)  # what cases have left running is not waited for


if __name__ == "__main__":
    main()
