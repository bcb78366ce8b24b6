"""The processor time of a process and of all that it started."""

import os
import pathlib

TICKS = os.sysconf("SC_CLK_TCK")


def seconds_of_tree(root: int) -> float:
    """User and system time of the process, its living descendants, and those of them that were waited for."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended meanwhile
        parents[int(folder.name)] = int(fields[1])
        ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    return sum(count for process, count in ticks.items() if _descends(process, root, parents)) / TICKS


def seconds_of_threads(process: int, name: str) -> float:
    """Time on a processor of those living threads of the process that bear the name, to a nanosecond."""
    spent_ns = 0
    for folder in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            if (folder / "comm").read_text().strip() == name:
                spent_ns += int((folder / "schedstat").read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended meanwhile
    return spent_ns / 1e9


def _descends(process: int, root: int, parents: dict[int, int]) -> bool:
    while process not in (0, root):
        process = parents.get(process, 0)
    return process == root
