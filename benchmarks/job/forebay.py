"""Forebay through its host's cache: the first epoch streams and fills the cache, the second reads what is there."""

import os
import shutil
import subprocess
import sysconfig
import tempfile

import training_job

TASK = training_job.task()
HOME = tempfile.mkdtemp()
os.environ.update(FOREBAY_HOME=HOME, FOREBAY_DAEMON="running")

import forebay_job  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "forebay"
PROGRAM = sysconfig.get_path("scripts") + "/forebay"


def prepare(row):
    """Where the row names a mount, the pipeline reads a path and knows nothing of the store."""
    if "mount" in row:
        subprocess.run([PROGRAM, "mount", row["mount"], row["root"], "--read-only"], check=True)
    return forebay_job.batches_of(row.get("mount", row["root"]), row["workers"])


if __name__ == "__main__":
    row = TASK["row"]
    # As it does while anybody on the host reads remote data.
    daemon = subprocess.Popen([PROGRAM, "daemon", "--least-free", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert "serving at" in daemon.stdout.readline()
        training_job.run(TASK, lambda: prepare(row), {"forebay": forebay.__version__})
    finally:
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(HOME)
