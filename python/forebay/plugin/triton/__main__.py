"""python -m forebay.plugin.triton FILE OUTPUT: saves the pipeline that a Python file defines, or that DALI has saved;
`-` is the standard output. The file is run here: this process does nothing else."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from typing import Iterator, Sequence

from ...graph.pipeline import Pipeline
from ...graph.replace_file import replace_file
from . import model_file


@contextlib.contextmanager
def _prints_go_to_stderr() -> Iterator[None]:
    """Also those of libraries and of processes that the file starts."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _content(file: str) -> bytes:
    """What is no Python file is one that `Pipeline.serialize` wrote, DALI's or this library's."""
    if not file.endswith(".py"):
        return Pipeline.deserialize(filename=file).serialize()
    with _prints_go_to_stderr():
        return model_file.serialized(os.path.abspath(file))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m forebay.plugin.triton", description="Saves the pipeline that a Python file defines, for a server."
    )
    parser.add_argument(
        "file", metavar="FILE", help="NAME.py with one @pipeline_def, or one marked by @autoserialize; else a saved pipeline"
    )
    parser.add_argument("output", metavar="OUTPUT", help="the file that is written; - is the standard output")
    options = parser.parse_args(arguments)
    output = options.output if options.output == "-" else os.path.abspath(options.output)  # the file may go elsewhere
    try:
        content = _content(options.file)
        if output == "-":
            sys.stdout.buffer.write(content)
        else:
            replace_file(output, content)
    except (OSError, ValueError) as error:
        print(f"forebay.plugin.triton: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
