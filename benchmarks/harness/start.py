"""Lets a benchmark's `run` be started by any Python 3.11: goes on under .venv's, which has NumPy."""

import os
import sys

import environments


def under_own_python() -> None:
    python = environments.python_of("forebay")
    if not python.exists():
        sys.exit("no .venv: run `make build` first")
    if os.path.realpath(sys.prefix) != os.path.realpath(python.parent.parent):
        os.execv(python, [str(python), *sys.argv])
