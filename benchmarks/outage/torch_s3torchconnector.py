"""PyTorch's DataLoader over s3torchconnector."""

import three_jobs
import training_job

TASK = training_job.task()

import counted_objects  # noqa: E402
import s3torch_objects  # noqa: E402
import s3torchconnector  # noqa: E402

ENVIRONMENT = "s3"


def workers(row, rank):
    return counted_objects.batches_of(row["keys"], lambda: s3torch_objects.open_reader(row))


if __name__ == "__main__":
    three_jobs.run(TASK, {"workers": workers}, {"s3torchconnector": s3torchconnector.__version__})
