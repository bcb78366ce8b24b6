"""Forebay through its host's cache, whose daemon is there."""

import first_batches
import own_daemon
import training_job

TASK = training_job.task()
own_daemon.use()

import forebay_beside  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "forebay"

if __name__ == "__main__":
    with own_daemon.serving(), forebay_beside.other_job(TASK):
        first_batches.run(TASK, lambda: forebay_beside.batches_of(TASK["row"]["root"], seed=1),
                          {"forebay": forebay.__version__})
