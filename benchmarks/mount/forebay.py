"""`forebay fuse` over S3, through the host's daemon. FOREBAY_PROGRAM names another program than .venv's."""

import contextlib
import pathlib
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import mount_work
import mounts
import own_daemon

ENVIRONMENT = "forebay"


def wait_until_serving(log: pathlib.Path) -> None:
    deadline = time.monotonic() + mounts.PATIENCE_S
    while "serving at" not in log.read_text(errors="replace"):
        if time.monotonic() > deadline:
            raise SystemExit(f"the daemon does not serve: {log.read_text(errors='replace')[-400:]}")
        time.sleep(0.02)


@contextlib.contextmanager
def mounted(row: dict[str, Any], place: pathlib.Path) -> Iterator[mounts.Mounted]:
    environment = {**row["environment"], "FOREBAY_HOME": str(place / "home"), "FOREBAY_DAEMON": "running"}
    log = place / "daemon.log"
    log.unlink(missing_ok=True)
    point = place / "mount"
    daemon = [own_daemon.PROGRAM, "daemon", "--least-free", "0"]
    mount = [own_daemon.PROGRAM, "fuse", "--foreground", "--trust", "1h", str(point), f"s3://{row['bucket']}"]
    with mounts.server(daemon, environment, log) as serving:
        wait_until_serving(log)
        with mounts.mounted_by(mount, environment, point) as found:
            yield mounts.Mounted(point, [*found.servers, serving.pid])


def version() -> str:
    command = [own_daemon.PROGRAM, "--version"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()[-1]


if __name__ == "__main__":
    mount_work.run("forebay", mounted, version())
