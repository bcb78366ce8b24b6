"""Alluxio 2.9.6 on this host, over the folder in which the server of S3 keeps its objects, so with no S3 between.

Its FUSE program has its own caches of data and names, and lets the kernel keep pages; a file is closed when it is
stored. The other services stay for all rounds: `run` stops them.
"""

import contextlib
import pathlib
from collections.abc import Iterator
from typing import Any

import alluxio_host
import mount_work
import mounts

ENVIRONMENT = "forebay"
PROPERTIES = "alluxio.user.file.writetype.default=CACHE_THROUGH"
SERVICES = ("fuse", "worker", "master")


def options(place: pathlib.Path) -> str:
    cache = f"data_cache={place / 'client'},data_cache_size=2GB,metadata_cache_size=50000,metadata_cache_expire=10h"
    return f"big_writes,kernel_cache,entry_timeout=3600,attr_timeout=3600,{cache}"


@contextlib.contextmanager
def mounted(row: dict[str, Any], place: pathlib.Path) -> Iterator[mounts.Mounted]:
    (place / "client").mkdir(exist_ok=True)
    if (place / "run" / "fuse.pid").exists():
        alluxio_host.script("bench/refuse", str(place), options(place))
    else:
        alluxio_host.start(place, pathlib.Path(row["store"]), FUSE_OPTS=options(place), EXTRA_PROPS=PROPERTIES)
    yield mounts.Mounted(place / "mnt", [int((place / "run" / f"{name}.pid").read_text()) for name in SERVICES])


if __name__ == "__main__":
    mount_work.run("alluxio", mounted, alluxio_host.VERSION)
