"""Forebay without a cache."""

import first_batches
import training_job

TASK = training_job.task()

import forebay_first_batches  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "forebay"

if __name__ == "__main__":
    first_batches.run(TASK, lambda: forebay_first_batches.batches_of(TASK["row"]), {"forebay": forebay.__version__})
