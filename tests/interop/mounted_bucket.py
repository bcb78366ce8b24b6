"""A bucket of an S3 server that is mounted through the host's cache, for programs that know nothing of Forebay."""

from __future__ import annotations

import collections.abc
import contextlib
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python" / "tests" / "support"))
import s3_server  # noqa: E402
from daemon_host import Host  # noqa: E402
from mounted import mounted, why_not  # noqa: E402


@contextlib.contextmanager
def mounted_bucket(
    folder: pathlib.Path, *arguments: str, longest_s: float, content: pathlib.Path | None = None
) -> collections.abc.Iterator[tuple[Host, pathlib.Path]]:
    """The host, and where its mount is; the bucket is empty, or has the files below `content`. Skips the test where
    there is no server, or nothing may be mounted."""
    if s3_server.program() is None:
        pytest.skip("versitygw is not installed")
    (folder / "try").mkdir()
    reason = why_not(folder / "try")
    if reason:
        pytest.skip(reason)
    (folder / "s3").mkdir()
    server = s3_server.S3Server(folder / "s3")
    host = Host(folder / "home")
    host.environment.update(server.environment())
    try:
        if content is None:
            server.put("bucket")
        else:
            server.put_folder("bucket", content)
        host.start()
        with mounted(host, folder / "mount", "s3://bucket", *arguments, longest_s=longest_s) as path:
            yield host, path
    finally:
        if host.daemon is not None:
            host.end()
        server.stop()


def run_script(script: str, folder: pathlib.Path, longest_s: float, python: str = sys.executable) -> str:
    """What a program of Python prints that has to succeed with the folder as its argument."""
    done = subprocess.run([python, "-c", script, str(folder)], capture_output=True, text=True, check=False,
                          timeout=longest_s)
    assert done.returncode == 0, done.stderr
    return done.stdout
