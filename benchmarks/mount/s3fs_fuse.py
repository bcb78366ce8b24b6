"""s3fs-fuse, with its cache on disk, told to trust names for an hour and to let the kernel keep pages."""

import contextlib
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any

import mount_work
import mounts

ENVIRONMENT = "forebay"
PROGRAM = mounts.program("s3fs", "s3fs")
TRUST = "kernel_cache,entry_timeout=3600,attr_timeout=3600,stat_cache_expire=3600,max_stat_cache_size=1000000"


@contextlib.contextmanager
def mounted(row: dict[str, Any], place: pathlib.Path) -> Iterator[mounts.Mounted]:
    environment = row["environment"]
    store = f"url={environment['AWS_ENDPOINT_URL']},endpoint={environment['AWS_REGION']},use_path_request_style"
    point = place / "mount"
    command = [PROGRAM, row["bucket"], str(point), "-f", "-o", f"{store},use_cache={place / 'cache'},{TRUST}"]
    with mounts.mounted_by(command, environment, point) as found:
        yield found


def version() -> str:
    run = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=60, check=True)
    return run.stdout.partition("V")[2].split()[0]


if __name__ == "__main__":
    mount_work.run("s3fs_fuse", mounted, version())
