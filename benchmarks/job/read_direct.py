"""Forebay, each epoch from S3: nothing is kept."""

import training_job

TASK = training_job.task()

import forebay_job  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "forebay"

if __name__ == "__main__":
    row = TASK["row"]
    training_job.run(TASK, lambda: forebay_job.batches_of(row["root"], row["workers"]), {"forebay": forebay.__version__})
