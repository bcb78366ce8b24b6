"""Bulk copies go through memory::copy, which counts them; everything else here is a finding.

Looked for in src/forebay and python/bindings, tests and fuzzers apart: memcpy and memmove. A
fixed small size is no bulk copy: `memcpy(&x, p, sizeof(x))`, a literal up to 64. A line that is none either says so
with a comment `// copy: why`, on it or on the line before.
"""

import pathlib
import re
import sys

import project_files

ALLOWED_FILES = {
    "src/forebay/memory/copy.cc",  # the one place
    "src/forebay/base/byte_source.h",  # below memory; its own reads
}
CALL = re.compile(r"\b(?:std::)?(memcpy|memmove)\s*\(")
SMALL_LITERAL = 64


def arguments(text: str, start: int) -> str:
    """What stands between the parenthesis at `start` and its partner."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return text[start + 1 : position]
    return text[start + 1 :]


def last_argument(call: str) -> str:
    depth = 0
    for position in range(len(call) - 1, -1, -1):
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(call[position], 0)
        if call[position] == "," and depth == 0:
            return call[position + 1 :].strip()
    return call.strip()


def is_small(size: str) -> bool:
    if re.fullmatch(r"sizeof\s*\(?\s*[\w:.<>*\[\]]+\s*\)?", size):
        return True
    return size.isdigit() and int(size) <= SMALL_LITERAL


def excused(lines: list[str], number: int) -> bool:
    around = lines[max(0, number - 2) : number]
    return any("// copy: " in line for line in around)


def findings_in(path: pathlib.Path) -> list[str]:
    text = path.read_text()
    lines = text.splitlines()
    findings = []
    for match in CALL.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        line = lines[number - 1]
        if line.lstrip().startswith(("//", "*")):
            continue
        size = last_argument(arguments(text, match.end() - 1))
        if is_small(size) or excused(lines, number):
            continue
        findings.append(f"{project_files.name(path)}:{number}: {line.strip()}")
    return findings


def main() -> int:
    paths = [
        path
        for path in project_files.sources()
        if project_files.name(path).startswith(("src/forebay/", "python/bindings/"))
        and not path.stem.endswith(("_test", "_fuzzer"))
        and project_files.name(path) not in ALLOWED_FILES
    ]
    findings = [finding for path in paths for finding in findings_in(path)]
    return project_files.finish("copies", findings, f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
