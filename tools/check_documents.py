"""Paragraphs of Markdown that run past 120 columns, where no diff can be read; with --write, wraps them.

Tables, code, headings and comments stay as they are: they cannot be wrapped.
"""

import re
import sys
import textwrap

import project_files

COLUMNS = 120
ITEM = re.compile(r"^(\s*)([*+-]|\d+\.)\s+")
FENCE = re.compile(r"^\s*(```|~~~)")


def is_text(line: str) -> bool:
    """Whether the line belongs to a paragraph or to an item of a list."""
    return bool(line.strip()) and not line.lstrip().startswith(("|", "#", "<")) and not FENCE.match(line)


def blocks(lines: list[str]) -> list[tuple[bool, list[str]]]:
    """The lines in pieces: whole paragraphs and items, which may be wrapped, and every other line by itself."""
    pieces: list[tuple[bool, list[str]]] = []
    in_code = False
    in_paragraph = False
    for line in lines:
        in_code ^= bool(FENCE.match(line))
        indented = line.startswith("    ") and not in_paragraph and not ITEM.match(line)
        text = is_text(line) and not in_code and not indented
        if text and in_paragraph and not ITEM.match(line):
            pieces[-1][1].append(line)
        else:
            pieces.append((text, [line]))
        in_paragraph = text
    return pieces


def wrapped(piece: list[str]) -> list[str]:
    """The paragraph or item with lines of at most COLUMNS; as it is when it has no longer ones."""
    if max(map(len, piece)) <= COLUMNS:
        return piece
    item = ITEM.match(piece[0])
    first = item.group(0) if item else piece[0][: len(piece[0]) - len(piece[0].lstrip())]
    text = " ".join([piece[0][len(first) :].strip(), *(line.strip() for line in piece[1:])])
    return textwrap.wrap(
        text, COLUMNS, initial_indent=first, subsequent_indent=" " * len(first),
        break_long_words=False, break_on_hyphens=False,
    )


def wrap(text: str) -> str:
    """A whole document, wrapped."""
    lines: list[str] = []
    for may_wrap, piece in blocks(text.splitlines()):
        lines += wrapped(piece) if may_wrap else piece
    return "\n".join(lines) + "\n"


def main() -> int:
    paths = [path for path in project_files.files() if path.suffix == ".md"]
    findings = []
    for path in paths:
        text = path.read_text()
        if wrap(text) == text:
            continue
        if "--write" in sys.argv[1:]:
            path.write_text(wrap(text))
        else:
            findings.append(f"{project_files.name(path)}: lines over {COLUMNS} columns; `make format` wraps them")
    return project_files.finish("documents", findings, f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
