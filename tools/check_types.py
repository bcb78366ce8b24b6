"""mypy over the Python package, with the settings of pyproject.toml."""

import subprocess
import sys

import tree


def main() -> int:
    run = subprocess.run([sys.executable, "-m", "mypy", "--no-error-summary"], cwd=tree.ROOT, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    findings = run.stdout.splitlines() if run.returncode else []
    return tree.finish("types", findings, "mypy")


if __name__ == "__main__":
    sys.exit(main())
