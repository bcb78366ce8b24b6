"""Forebay through its host's cache, whose daemon serves all jobs."""

import multiprocessing
import os
import shutil
import subprocess
import tempfile

import three_jobs

TASK = three_jobs.task()
IS_JOB = multiprocessing.parent_process() is not None  # else it starts the jobs
if not IS_JOB:
    os.environ.update(FOREBAY_HOME=tempfile.mkdtemp(), FOREBAY_DAEMON="running")

import forebay_three_jobs  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "s3"

if __name__ == "__main__":
    daemon = subprocess.Popen([forebay_three_jobs.PROGRAM, "daemon", "--least-free", "0"], stdout=subprocess.PIPE,
                              text=True)
    try:
        assert "serving at" in daemon.stdout.readline()
        three_jobs.run(TASK, forebay_three_jobs.STREAMS, {"forebay": forebay.__version__})
    finally:
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(os.environ["FOREBAY_HOME"])
