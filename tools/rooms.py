"""The rooms of each folder of src/forebay, and of python/bindings: its subfolders, and `root`, what lies beside them.

A folder lists them from the bottom up, each with a purpose in the comment above it:

    # Bytes of an object by HTTP: requests, ranges, attempts.
    forebay_room(remote DEPS root)

A room includes itself, the rooms on its DEPS line, and other folders as the folder's own DEPS line says. DEPS name
rooms listed before, so that no ring is possible. Tests and `testing` may include every room of their folder.
"""

import dataclasses
import pathlib
import re

import layers
import project_files

ROOM = re.compile(r"((?:^#[^\n]*\n)*)^forebay_room\(([^)]*)\)", re.MULTILINE)
ROOT_ROOM = "root"
MAX_PURPOSE = 2


@dataclasses.dataclass
class Room:
    """One room: the folder it is in, what it may include there, and what it is for."""

    folder: str
    name: str
    deps: list[str]
    purpose: list[str]


BINDINGS = "bindings"


def place_of(folder: str) -> pathlib.Path:
    """Where a folder lies."""
    return project_files.ROOT / "python" / BINDINGS if folder == BINDINGS else layers.SOURCE / folder


def folder_of(path: pathlib.Path) -> str:
    """The folder with rooms that a file lies in, or ''."""
    if layers.SOURCE in path.parents:
        return path.relative_to(layers.SOURCE).parts[0]
    return BINDINGS if place_of(BINDINGS) in path.parents else ""


def room_of(path: pathlib.Path, folder: str) -> str:
    """The room of a file of `folder`."""
    parts = path.relative_to(place_of(folder)).parts
    return parts[0] if len(parts) > 1 else ROOT_ROOM


def prefix_of(folder: str) -> str:
    """What an include of a file of `folder` begins with."""
    return f"{BINDINGS}/" if folder == BINDINGS else f"forebay/{folder}/"


def is_free(path: pathlib.Path) -> bool:
    """Whether a file may include every room of its folder: tests, fuzzers and what serves them."""
    return path.stem.endswith(("_test", "_fuzzer")) or "testing" in path.parts


def read_rooms(folder: str) -> list[Room]:
    """The rooms of a folder in the order of its CMakeLists.txt."""
    text = (place_of(folder) / "CMakeLists.txt").read_text()
    rooms = []
    for comment, arguments in ROOM.findall(text):
        name, _, rest = arguments.strip().partition(" ")
        purpose = [line.lstrip("# ") for line in comment.splitlines()]
        rooms.append(Room(folder, name, layers.words_after("DEPS", rest), purpose))
    return rooms


def existing_rooms(folder: str) -> set[str]:
    """The rooms that a folder has files in, `testing` aside."""
    paths = [path for path in project_files.sources() if place_of(folder) in path.parents]
    return {room_of(path, folder) for path in paths if not is_free(path)}


def check_list(folder: str, rooms: list[Room]) -> list[str]:
    """What is wrong with a folder's list: rooms it lacks, names that mean nothing, DEPS not listed before."""
    findings = []
    listed: set[str] = set()
    for room in rooms:
        if room.name in listed:
            findings.append(f"{folder}: room {room.name} is listed twice")
        for dep in room.deps:
            if dep not in listed:
                findings.append(f"{folder}/{room.name}: DEPS names {dep}, which is not listed before it")
        if not 1 <= len(room.purpose) <= MAX_PURPOSE:
            findings.append(f"{folder}/{room.name}: one or two lines above it must say what it is for")
        listed.add(room.name)
    existing = existing_rooms(folder)
    if existing - {ROOT_ROOM}:
        findings += [f"{folder}: room {name} has no forebay_room(...) line" for name in sorted(existing - listed)]
    findings += [f"{folder}: room {name} does not exist" for name in sorted(listed - existing)]
    return findings


def check_include(path: pathlib.Path, included: str, rooms: dict[str, Room]) -> str:
    """What is wrong with an include of the file's own folder, or ''."""
    folder = folder_of(path)
    if not rooms or is_free(path) or not included.startswith(prefix_of(folder)):
        return ""
    room = room_of(path, folder)
    target = room_of(place_of(folder) / included.removeprefix(prefix_of(folder)), folder)
    known = rooms.get(room)
    allowed = {room, *(known.deps if known else [])}
    if target in allowed:
        return ""
    return f"{project_files.name(path)}: includes {included}, but {folder}/{room} may know only {', '.join(sorted(allowed))}"
