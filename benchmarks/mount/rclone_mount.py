"""`rclone mount` with its whole cache on disk, told to trust names for an hour."""

import contextlib
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any

import mount_work
import mounts

ENVIRONMENT = "forebay"
PROGRAM = mounts.program("rclone", "rclone")
TRUST = ["--vfs-cache-mode", "full", "--attr-timeout", "1h", "--dir-cache-time", "1h", "--vfs-cache-max-age", "24h"]


@contextlib.contextmanager
def mounted(row: dict[str, Any], place: pathlib.Path) -> Iterator[mounts.Mounted]:
    environment = row["environment"]
    settings = {
        "AWS_CA_BUNDLE": "",  # with one it refuses its own transport
        "RCLONE_CONFIG": str(place / "no.conf"),
        "RCLONE_CONFIG_S3_TYPE": "s3",
        "RCLONE_CONFIG_S3_PROVIDER": "Other",
        "RCLONE_CONFIG_S3_ENV_AUTH": "true",
        "RCLONE_CONFIG_S3_ENDPOINT": environment["AWS_ENDPOINT_URL"],
        "RCLONE_CONFIG_S3_REGION": environment["AWS_REGION"],
        "RCLONE_CONFIG_S3_FORCE_PATH_STYLE": "true",
    }
    point = place / "mount"
    command = [PROGRAM, "mount", f"s3:{row['bucket']}", str(point), "--cache-dir", str(place / "cache"), *TRUST]
    with mounts.mounted_by(command, {**environment, **settings}, point) as found:
        yield found


def version() -> str:
    run = subprocess.run([PROGRAM, "version"], capture_output=True, text=True, timeout=60, check=True)
    return run.stdout.split()[1]


if __name__ == "__main__":
    mount_work.run("rclone_mount", mounted, version())
