"""Writes what DALI does in the cases of this folder: record_compat.py OUTPUT, by a Python that has nvidia-dali. Of a
case that ends DALI's process nothing is written: it is not compared."""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import sys
import tempfile

from running import DIED, outcomes_by


def version() -> str:
    names = [each.metadata["Name"] for each in importlib.metadata.distributions()]
    return importlib.metadata.version(next(name for name in names if name.startswith("nvidia-dali")))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = outcomes_by([sys.executable, "-W", "ignore"], pathlib.Path(folder))
    kept = {name: result for name, result in sorted(results.items()) if result != DIED}
    for result in kept.values():
        result.pop("message", None)
        if "raises" in result:
            del result["raises"][1:]
    lines = [f"{json.dumps(name)}: {json.dumps(result, separators=(',', ':'))}" for name, result in kept.items()]
    head = f'{{"dali": "{version()}", "results": {{\n'
    pathlib.Path(sys.argv[1]).write_text(head + ",\n".join(lines) + "\n}}\n")
    for name in results.keys() - kept.keys():
        print(f"{name} ends the process of DALI", file=sys.stderr)


if __name__ == "__main__":
    main()
