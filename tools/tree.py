"""tree.py [FOLDER...]: prints the folders of src/forebay and python/bindings by rank, with their rooms, lowest first.

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
    below = rooms.place_of(folder)
    return Counter(rooms.room_of(path, folder) for path in project_files.sources() if below in path.parents)


def rank_of(folder: str) -> int:
    return layers.RANKS.get(folder, layers.TOP_RANK)


def print_overview(deps: dict[str, list[str]]) -> None:
    for rank in sorted(set(layers.RANKS.values()), reverse=True):
        for folder in sorted(name for name in deps if rank_of(name) == rank):
            names = [room.name for room in rooms.read_rooms(folder)]
            print(f"r{rank} {folder:{WIDTH}} {sum(files_of(folder).values()):4} files  {' '.join(names)}".rstrip())


def print_folder(folder: str, deps: list[str]) -> None:
    counts = files_of(folder)
    known = ", ".join(["base", *deps]) if rank_of(folder) < layers.TOP_RANK else "everything below"
    print(f"r{rank_of(folder)} {folder}: knows {known}")
    for room in rooms.read_rooms(folder):
        print(f"  {room.name:{WIDTH}} {counts[room.name]:4} files  {' '.join(room.purpose)}")
        if room.deps:
            print(f"  {'':{WIDTH}}             includes {' '.join(room.deps)}")


def main(folders: list[str]) -> int:
    deps, _ = layers.read_layers()
    if rooms.place_of(rooms.BINDINGS).is_dir():
        deps[rooms.BINDINGS] = []
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
