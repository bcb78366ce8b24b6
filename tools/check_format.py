"""C++ files that are not as .clang-format says; `make format` rewrites them."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

import project_files

PROGRAM = "clang-format-16"
CHUNK = 12


def misformatted(paths: list[pathlib.Path]) -> list[str]:
    """Those of the files that clang-format would change."""
    run = subprocess.run([PROGRAM, "--dry-run", *map(str, paths)], check=True, stderr=subprocess.PIPE, text=True)
    warned = {line.split(":", 1)[0] for line in run.stderr.splitlines() if "[-Wclang-format-violations]" in line}
    return [project_files.name(path) for path in paths if str(path) in warned]


def main() -> int:
    if shutil.which(PROGRAM) is None:
        print(f"format: {PROGRAM} is missing; `make deps` installs it")
        return 1
    paths = project_files.sources()
    chunks = [paths[first : first + CHUNK] for first in range(0, len(paths), CHUNK)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [name for names in pool.map(misformatted, chunks) for name in names]
    return project_files.finish("format", findings, f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
