"""What contenders of `preload/` share: many files, and the time of a command that brings them somewhere."""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

FILES_A_FOLDER = 1000


def make_files(folder: pathlib.Path, row: dict[str, Any]) -> None:
    """Files of random bytes, in folders as data sets have them; written once, and kept for all rounds."""
    if (folder / "complete").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(row["files"]):
        path = folder / "files" / f"{number // FILES_A_FOLDER:03}" / f"{number:06}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(row["bytes"]))
    os.sync()
    (folder / "complete").touch()


def timed(command: list[str], environment: dict[str, str] | None = None) -> dict[str, float]:
    """Runs a command to its end; how long it took, and the processor time of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "own_cpu_seconds": cpu}


def measure(bring: Callable[[pathlib.Path, pathlib.Path], dict[str, float]], versions: dict[str, str]) -> None:
    """`bring(files, place)` brings the files to a new place on the same file system."""
    task = json.loads(sys.argv[1])
    row = task["row"]
    folder = pathlib.Path(task["data"]) / f"forebay-bringing-{row['files']}-{row['bytes']}"
    make_files(folder, row)
    files = folder / "files"
    for path in files.rglob("*.bin"):
        path.read_bytes()
    with tempfile.TemporaryDirectory(dir=folder) as place:
        os.sync()  # no round writes what the last one left
        figures = bring(files, pathlib.Path(place))
    seconds = figures.pop("seconds")
    result = {"seconds": seconds, "files_per_second": row["files"] / seconds, **figures, "versions": versions}
    pathlib.Path(task["result"]).write_text(json.dumps(result))
