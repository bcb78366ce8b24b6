"""Checks that generated files are what their generators write: type stubs and the pages of the operators."""

import pathlib
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parent

results = [
    subprocess.run([sys.executable, str(TOOLS / generator), "--check"]).returncode
    for generator in ("generate_stubs.py", "generate_docs.py")
]
sys.exit(max(results))
