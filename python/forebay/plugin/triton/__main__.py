"""python -m forebay.plugin.triton FILE OUTPUT: saves the pipeline that a Python file defines; `-` is the standard output."""

from __future__ import annotations

import argparse
import sys
from typing import Sequence

from ...graph.replace_file import replace_file
from .serialize import serialize_file


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m forebay.plugin.triton", description="Saves the pipeline that a Python file defines, for a server."
    )
    parser.add_argument("file", metavar="FILE", help="has one @pipeline_def function, or one marked with @autoserialize")
    parser.add_argument("output", metavar="OUTPUT", help="the file that is written; - is the standard output")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="how long it may take (300)")
    options = parser.parse_args(arguments)
    try:
        content = serialize_file(options.file, timeout_s=options.timeout)
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
