"""Forebay through its host's cache, whose daemon serves all jobs."""

import own_daemon
import three_jobs
import training_job

TASK = training_job.task()
own_daemon.use()  # a process of a job finds the home of the contender

import forebay_three_jobs  # noqa: E402

import forebay  # noqa: E402

ENVIRONMENT = "s3"

if __name__ == "__main__":
    with own_daemon.serving():
        three_jobs.run(TASK, forebay_three_jobs.STREAMS, {"forebay": forebay.__version__})
