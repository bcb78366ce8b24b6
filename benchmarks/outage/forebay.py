"""Forebay through its host's cache, whose daemon serves all jobs."""

import os
import shutil
import subprocess
import tempfile

import three_jobs
import training_job

TASK = training_job.task()
os.environ["FOREBAY_DAEMON"] = "running"
if __name__ == "__main__":  # else it is a process of a job, which finds it there
    os.environ["FOREBAY_HOME"] = tempfile.mkdtemp()

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
