"""A daemon of Forebay's cache for one contender, in a home of its own. Used before Forebay is imported."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

import environments

PROGRAM = os.environ.get("FOREBAY_PROGRAM") or str(environments.ROOT / ".venv" / "bin" / "forebay")
MADE = "FOREBAY_BENCHMARK_HOME"  # not what the user has, which stays


def use() -> None:
    """This process and those that it starts read through that daemon."""
    if MADE not in os.environ:
        os.environ[MADE] = tempfile.mkdtemp()
    os.environ.update({"FOREBAY_DAEMON": "running", "FOREBAY_HOME": os.environ[MADE]})


@contextlib.contextmanager
def serving() -> Iterator[None]:
    daemon = subprocess.Popen([PROGRAM, "daemon", "--least-free", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert daemon.stdout is not None and "serving at" in daemon.stdout.readline()
        yield
    finally:
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(os.environ[MADE])
