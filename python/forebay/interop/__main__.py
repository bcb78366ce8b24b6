"""python -m forebay.interop: prints the conversion table of the frameworks that are installed here."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os

from . import report
from .conversion_table import pairs


def main(arguments: list[str] | None = None) -> int:
    """The command line; the exit status."""
    parser = argparse.ArgumentParser(prog="forebay interop", description="Prints the conversion table of the frameworks here.")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    form.add_argument("--markdown", action="store_true", help="a matrix in Markdown instead of a table")
    options = parser.parse_args(arguments)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    found = list(pairs())
    if options.json:
        print(json.dumps([dataclasses.asdict(pair) for pair in found], indent=1))
        return 0
    if not any(pair.proven for pair in found):
        print(report.nothing_to_prove())
        return 0
    print(report.markdown(found) if options.markdown else report.text(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
