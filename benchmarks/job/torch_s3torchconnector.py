"""PyTorch's DataLoader over s3torchconnector."""

import training_job

TASK = training_job.task()

import s3torch_objects  # noqa: E402
import s3torchconnector  # noqa: E402
import torch_job  # noqa: E402

ENVIRONMENT = "s3"


def open_reader():
    return s3torch_objects.open_reader(TASK["row"])


if __name__ == "__main__":
    row = TASK["row"]
    training_job.run(TASK, lambda: torch_job.batches_of(row["keys"], open_reader, row["workers"]),
                     {"s3torchconnector": s3torchconnector.__version__})
