"""Forebay, each epoch from S3: nothing is kept."""

import three_jobs
import training_job

TASK = training_job.task()

import forebay_three_jobs  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "s3"

if __name__ == "__main__":
    three_jobs.run(TASK, forebay_three_jobs.STREAMS, {"forebay": forebay.__version__})
