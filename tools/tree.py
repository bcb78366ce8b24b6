"""tree.py [FOLDER...]: prints the folders of src/forebay by rank, each with its rooms from the bottom up.

With FOLDER: only those, with what each room may include and how many files it has.
"""

import sys
from collections import Counter

import layers
import project_files
import rooms

WIDTH = 14


def files_of(folder: str) -> Counter[str]:
    """How many sources and headers each room has, `testing` included."""
    below = layers.SOURCE / folder
    return Counter(rooms.room_of(path)[1] for path in project_files.sources() if below in path.parents)


def print_overview(deps: dict[str, list[str]]) -> None:
    for rank in sorted(set(layers.RANKS.values()), reverse=True):
        for folder in sorted(name for name in deps if layers.RANKS.get(name) == rank):
            names = [room.name for room in rooms.read_rooms(folder)]
            print(f"r{rank} {folder:{WIDTH}} {sum(files_of(folder).values()):4} files  {' '.join(names)}".rstrip())


def print_folder(folder: str, deps: list[str]) -> None:
    counts = files_of(folder)
    print(f"r{layers.RANKS[folder]} {folder}: knows {', '.join(['base', *deps])}")
    for room in rooms.read_rooms(folder):
        print(f"  {room.name:{WIDTH}} {counts[room.name]:4} files  {' '.join(room.purpose)}")
        if room.deps:
            print(f"  {'':{WIDTH}}             includes {' '.join(room.deps)}")


def main(folders: list[str]) -> int:
    deps, _ = layers.read_layers()
    unknown = [folder for folder in folders if folder not in deps]
    if unknown:
        print(f"tree.py: no folder {unknown[0]} in src/forebay; there are {', '.join(sorted(deps))}", file=sys.stderr)
        return 2
    if not folders:
        print_overview(deps)
    for folder in folders:
        print_folder(folder, deps[folder])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
