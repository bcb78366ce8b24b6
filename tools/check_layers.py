"""A folder knows only folders of lower rank, and of those only the ones its DEPS line names; so does a room of a folder.

`base` is open to all; DEPS are not transitive. The program folders (rank 8) and what lies outside src/ may include
everything but across rooms. See layers.py and rooms.py.
"""

import pathlib
import re
import sys

import layers
import project_files
import rooms

# What protoc makes of a NAME.proto.
FROM_PROTO = re.compile(r"\.(?:grpc\.)?pb\.h$")
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+HWY_TARGET_INCLUDE)\s*(["<])([^">]+)[">]', re.MULTILINE)

RoomsByName = dict[str, rooms.Room]


def check_include(path: pathlib.Path, folder: str, included: str, quote: str, allowed: set[str]) -> str:
    """What is wrong with one include, or ''."""
    parts = included.split("/")
    if parts[0] == "forebay" and len(parts) > 2:
        generated = included.startswith("forebay/generated/")
        source = project_files.ROOT / "src" / FROM_PROTO.sub(".proto", included)
        if not generated and not included.endswith(".inc") and not source.exists():
            return f"{project_files.name(path)}: {included} does not exist"
        if folder and layers.RANKS.get(folder, 0) < layers.TOP_RANK and not generated and parts[1] not in allowed:
            return f"{project_files.name(path)}: includes {included}, but {folder} may know only {', '.join(sorted(allowed))}"
        return ""
    if folder and quote == '"' and (len(parts) == 1 or parts[0] == ".."):
        return f'{project_files.name(path)}: "{included}" must read "forebay/<folder>/<file>.h"'
    if folder and folder != "cuda" and path.suffix != ".cu" and included.startswith("cuda"):
        return f"{project_files.name(path)}: CUDA headers belong to cuda/ and *.cu"
    return ""


def check_includes(deps: dict[str, list[str]], rooms_of: dict[str, RoomsByName]) -> tuple[list[str], int]:
    """Includes that DEPS lines do not allow, and how many were looked at."""
    findings = []
    count = 0
    for path in project_files.sources():
        inside = layers.SOURCE in path.parents
        folder = path.relative_to(layers.SOURCE).parts[0] if inside else ""
        allowed = {"base", folder, *deps.get(folder, [])}
        for quote, included in INCLUDE.findall(path.read_text()):
            count += 1
            finding = check_include(path, folder, included, quote, allowed)
            if not finding:
                finding = rooms.check_include(path, included, rooms_of.get(rooms.folder_of(path), {}))
            if finding:
                findings.append(finding)
    return findings, count


def main() -> int:
    deps, findings = layers.read_layers()
    findings += layers.check_ranks({folder: names for folder, names in deps.items() if folder in layers.RANKS})
    rooms_of: dict[str, RoomsByName] = {}
    for folder in [*deps, *([rooms.BINDINGS] if rooms.place_of(rooms.BINDINGS).is_dir() else [])]:
        found = rooms.read_rooms(folder)
        findings += rooms.check_list(folder, found)
        rooms_of[folder] = {room.name: room for room in found}
    wrong_includes, count = check_includes(deps, rooms_of)
    looked_at = f"{len(deps)} folders, {sum(map(len, rooms_of.values()))} rooms, {count} includes"
    return project_files.finish("layers", findings + wrong_includes, looked_at)


if __name__ == "__main__":
    sys.exit(main())
