"""python -m forebay.plugin.triton FILE OUTPUT: saves the pipeline that a Python file defines, or that DALI has saved;
`-` is the standard output."""

from __future__ import annotations

import argparse
import sys
from typing import Sequence

from ...graph.pipeline import Pipeline
from ...graph.replace_file import replace_file
from .serialize import serialize_file


def _content(file: str, timeout_s: float) -> bytes:
    """What is no Python file is one that `Pipeline.serialize` wrote, DALI's or this library's."""
    if file.endswith(".py"):
        return serialize_file(file, timeout_s=timeout_s)
    return Pipeline.deserialize(filename=file).serialize()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m forebay.plugin.triton", description="Saves the pipeline that a Python file defines, for a server."
    )
    parser.add_argument(
        "file", metavar="FILE", help="NAME.py with one @pipeline_def, or one marked by @autoserialize; else a saved pipeline"
    )
    parser.add_argument("output", metavar="OUTPUT", help="the file that is written; - is the standard output")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="how long it may take (300)")
    options = parser.parse_args(arguments)
    try:
        content = _content(options.file, options.timeout)
        if options.output == "-":
            sys.stdout.buffer.write(content)
        else:
            replace_file(options.output, content)
    except (OSError, ValueError) as error:
        print(f"forebay.plugin.triton: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
