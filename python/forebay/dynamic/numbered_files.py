"""Files with a number in their names: "state-{seq:04}.json"."""

from __future__ import annotations

import os
import re
import string

from ..errors import InvalidError, NotThereError


def _pattern_of(name: str) -> tuple[re.Pattern[str], bool]:
    """What the last part of a path looks like, and whether it has a number."""
    text = ""
    count = 0
    for literal, field, _, _ in string.Formatter().parse(name):
        text += re.escape(literal)
        if field is None:
            continue
        if field != "seq":
            raise InvalidError(f"{{{field}}} in the name of a checkpoint; only {{seq}} is known")
        count += 1
        text += r"(?P<seq>\d+)"
    if count > 1:
        raise InvalidError("{seq} may be in the name of a checkpoint once")
    return re.compile(text), count == 1


def _files(filename: str) -> list[tuple[int, str]]:
    """Numbers and paths of the files that are there, in the order of their numbers."""
    folder, name = os.path.split(filename)
    pattern, has_number = _pattern_of(name)
    if "{" in folder:
        raise InvalidError("{seq} belongs into the last part of the path of a checkpoint")
    if not os.path.isdir(folder or "."):
        return []
    found = []
    for entry in os.listdir(folder or "."):
        match = pattern.fullmatch(entry)
        if match is not None:
            found.append((int(match["seq"]) if has_number else 0, os.path.join(folder, entry)))
    return sorted(found)


def next_file(filename: str) -> str:
    """The name with the number behind the highest one there, from 0. A name without {seq} is itself."""
    there = _files(filename)
    return filename.format(seq=there[-1][0] + 1 if there else 0)


def last_file(filename: str) -> str:
    """The file with the highest number. NotThereError where there is none."""
    there = _files(filename)
    if not there:
        raise NotThereError(f"no checkpoint file is there for {filename!r}")
    return there[-1][1]
