"""The files of the project as the checks see them: what git tracks or would track."""

import functools
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE_SUFFIXES = {".h", ".cc", ".cu"}


@functools.cache
def files() -> tuple[pathlib.Path, ...]:
    """Every file that is tracked or new and not ignored, as absolute paths in order of name."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    paths = (ROOT / name for name in sorted(set(listing.split("\0"))) if name)
    return tuple(path for path in paths if path.is_file())


def sources() -> list[pathlib.Path]:
    """C++ headers and sources."""
    return [path for path in files() if path.suffix in SOURCE_SUFFIXES]


def name(path: pathlib.Path) -> str:
    """The path as findings print it: from the root of the project."""
    return path.relative_to(ROOT).as_posix()


def finish(check: str, findings: list[str], looked_at: str) -> int:
    """Prints the findings and the outcome; the exit status."""
    for finding in findings:
        print(f"  {finding}")
    verdict = f"{len(findings)} finding(s)" if findings else "ok"
    print(f"{check}: {verdict} ({looked_at})")
    return 1 if findings else 0
