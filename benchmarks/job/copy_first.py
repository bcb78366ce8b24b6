"""Forebay, after a copy of all data to a local folder, which the job waits for."""

import shutil
import subprocess
import sysconfig
import tempfile

import training_job

TASK = training_job.task()

import forebay_job  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "forebay"
PROGRAM = sysconfig.get_path("scripts") + "/forebay"


def prepare(row, folder):
    subprocess.run([PROGRAM, "cp", "-r", row["root"], f"{folder}/copy"], check=True, capture_output=True)
    return forebay_job.batches_of(f"{folder}/copy", row["workers"])


if __name__ == "__main__":
    place = tempfile.mkdtemp()
    try:
        training_job.run(TASK, lambda: prepare(TASK["row"], place), {"forebay": forebay.__version__})
    finally:
        shutil.rmtree(place)
