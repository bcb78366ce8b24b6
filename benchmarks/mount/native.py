"""The files themselves, on the local disk; what they hold is in the kernel's page cache."""

import contextlib
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import mount_work
import mounts

ENVIRONMENT = "forebay"


@contextlib.contextmanager
def mounted(row: dict[str, Any], place: pathlib.Path) -> Iterator[mounts.Mounted]:
    yield mounts.Mounted(pathlib.Path(row["files"]), [])


if __name__ == "__main__":
    mount_work.run("native", mounted, os.uname().release)
