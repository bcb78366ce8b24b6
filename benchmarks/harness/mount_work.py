"""What the contenders of `mount/` share: one kind of work on mounted files, and its figures."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import environments
import mount_tree
import mounts
import processor_time
from s3_server import end_with_starter

LIMIT_S = 300
STORED_S = 120
MIB = 1 << 20
LOOK_S = 0.005

Task = dict[str, Any]
Figures = dict[str, float]
Mount = Callable[[Task, pathlib.Path], contextlib.AbstractContextManager[mounts.Mounted]]


def run(name: str, mount: Mount, version: str) -> None:
    """`mount(row, place)` mounts the row's bucket, with a cache in a folder that stays from row to row."""
    task: Task = json.loads(sys.argv[1])
    row = task["row"]
    place = pathlib.Path(row["scratch"]) / name
    place.mkdir(exist_ok=True)
    with mount(row, place) as mounted:
        figures = WORK[row["work"]](mounted, task)
    pathlib.Path(task["result"]).write_text(json.dumps({**figures, "versions": {name: version}}))


def printed(command: list[str]) -> dict[str, Any]:
    """The JSON object that a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, preexec_fn=end_with_starter,
                          check=False)
    if done.returncode:
        sys.exit(done.stderr.strip()[-400:] or f"{command[0]}: exit status {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def serving_s(mounted: mounts.Mounted) -> float:
    return sum(map(processor_time.seconds_of_tree, mounted.servers))


def called(mounted: mounts.Mounted, row: Task, *words: str) -> tuple[float, Figures]:
    """Calls a second of file_calls, and what a call costs the serving processes."""
    before = serving_s(mounted)
    found = printed([row["file_calls"], *words])
    microseconds = 1e6 * (serving_s(mounted) - before) / found["calls"]
    return found["calls"] / found["seconds"], {"serving_cpu_us": microseconds} if mounted.servers else {}


def read_once(mounted: mounts.Mounted, row: Task, name: str) -> None:
    """Reads all files of a folder, and compares them with the local ones."""
    if mount_tree.digest(mounted.folder / name) != row["digests"][name]:
        sys.exit(f"{name}: other bytes than the local files have")


def drop_pages(path: pathlib.Path) -> None:
    """The kernel's, of a mounted file."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def pieces(mounted: mounts.Mounted, task: Task) -> Figures:
    """Reads of a large file that was read twice: what lies below the mount has been brought by the first, and is in
    memory after the second."""
    row = task["row"]
    path = mounted.folder / "large" / "00000"
    drops = row["drop"] and mounted.drops_pages
    for _ in range(2):
        if mounted.drops_pages:
            drop_pages(path)
        read_once(mounted, row, "large")
    rate, costs = called(mounted, row, row["order"], str(path), str(task["seconds"]), str(int(drops)))
    figures = {"reads_per_second": rate} if row["order"] == "random" else {"mb_per_second": rate * MIB / 1e6}
    return {**figures, **costs}


def small_files(mounted: mounts.Mounted, task: Task) -> Figures:
    row = task["row"]
    read_once(mounted, row, "small")
    words = ["files", str(mounted.folder / "small"), str(task["seconds"]), str(row["readers"])]
    rate, costs = called(mounted, row, *words)
    return {"files_per_second": rate, **costs}


def names(mounted: mounts.Mounted, task: Task) -> Figures:
    """Of a folder that nobody has listed since it was mounted; of another one before, for servers that compile as they
    run."""
    row = task["row"]
    called(mounted, row, "names", str(mounted.folder / "names" / "warm"))
    rate, costs = called(mounted, row, "names", str(mounted.folder / "names" / "first"))
    return {"stats_per_second": rate, **costs}


def training(mounted: mounts.Mounted, task: Task) -> Figures:
    script = environments.ROOT / "benchmarks" / "harness" / "image_folder_epochs.py"
    command = [str(environments.python_of("torch")), "-P", str(script), str(mounted.folder / "train")]
    found = printed(command)
    first, second = (found["images"] / seconds for seconds in found["seconds"])
    return {"images_per_second": second, "images_per_second_1": first}


def writing(mounted: mounts.Mounted, task: Task) -> Figures:
    """New files, one after another; then a look at what the store has of them, and when."""
    row = task["row"]
    folder = pathlib.Path("written") / f"{os.getpid()}"
    (mounted.folder / folder).mkdir(parents=True)
    files = [folder / f"{number:05}" for number in range(row["count"])]
    content = os.urandom(row["bytes"])
    before = serving_s(mounted)
    begin = time.perf_counter()
    for path in files:
        write(mounted.folder / path, content)
    seconds = time.perf_counter() - begin
    figures = {"files_per_second": len(files) / seconds}
    if len(files) == 1:
        figures = {"mb_per_second": len(content) / seconds / 1e6}
    if mounted.servers:
        wait_until_stored(pathlib.Path(row["store"]), files, len(content))
        figures["stored_s"] = time.perf_counter() - begin
        figures["serving_cpu_us"] = 1e6 * (serving_s(mounted) - before) / (len(files) * max(1, len(content) // MIB))
        compare(pathlib.Path(row["store"]), files, content)
    for path in files:
        (mounted.folder / path).unlink()
    return figures


def write(path: pathlib.Path, content: bytes) -> None:
    view = memoryview(content)
    with path.open("wb", buffering=0) as file:
        for begin in range(0, len(view), MIB):
            piece = view[begin : begin + MIB]
            if file.write(piece) != len(piece):
                sys.exit(f"{path}: a short write")


def wait_until_stored(store: pathlib.Path, files: list[pathlib.Path], size: int) -> None:
    """The server keeps objects as files, which appear whole."""
    deadline = time.monotonic() + STORED_S
    for path in files:
        while not (store / path).exists() or (store / path).stat().st_size != size:
            if time.monotonic() > deadline:
                sys.exit(f"{path} is not stored after {STORED_S} s")
            time.sleep(LOOK_S)


def compare(store: pathlib.Path, files: list[pathlib.Path], content: bytes) -> None:
    if any((store / path).read_bytes() != content for path in files):
        sys.exit("the store has other bytes than were written")


WORK: dict[str, Callable[[mounts.Mounted, Task], Figures]] = {
    "pieces": pieces, "small files": small_files, "names": names, "training": training, "writing": writing,
}
