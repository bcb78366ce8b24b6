"""Forebay without a cache: each job reads no farther ahead than its pipeline does."""

import first_batches
import training_job

TASK = training_job.task()

import forebay_beside  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "forebay"

if __name__ == "__main__":
    with forebay_beside.other_job(TASK):
        first_batches.run(TASK, lambda: forebay_beside.batches_of(TASK["row"]["root"], seed=1),
                          {"forebay": forebay.__version__})
