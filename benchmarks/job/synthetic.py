"""The ceiling: one batch that is in memory, again and again. Nothing is read, so no step waits."""

import numpy
import training_job

TASK = training_job.task()

ENVIRONMENT = "forebay"


def batches_of(samples):
    batch = numpy.zeros((training_job.BATCH_SIZE, 3, training_job.SIZE, training_job.SIZE), numpy.float32)
    return lambda: (batch for _ in range(samples // training_job.BATCH_SIZE))


if __name__ == "__main__":
    training_job.run(TASK, lambda: batches_of(len(TASK["row"]["keys"])), {"numpy": numpy.__version__})
