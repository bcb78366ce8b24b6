"""Forebay through its host's cache, whose daemon is there."""

import first_batches
import own_daemon
import training_job

TASK = training_job.task()
own_daemon.use()

import forebay_first_batches  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "forebay"

if __name__ == "__main__":
    with own_daemon.serving():
        first_batches.run(TASK, lambda: forebay_first_batches.batches_of(TASK["row"]),
                          {"forebay": forebay.__version__})
