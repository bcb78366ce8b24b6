"""mypy over the Python package and tests/typing, with the settings of pyproject.toml. What it finds out about packages is
kept in the user's cache, for all clones."""

import os
import pathlib
import subprocess
import sys

import project_files


def main() -> int:
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "forebay" / "mypy"
    run = subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary", f"--cache-dir={cache}"], cwd=project_files.ROOT, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    findings = run.stdout.splitlines() if run.returncode else []
    return project_files.finish("types", findings, "mypy")


if __name__ == "__main__":
    sys.exit(main())
