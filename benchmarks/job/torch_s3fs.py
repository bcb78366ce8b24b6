"""PyTorch's DataLoader over s3fs (fsspec)."""

import training_job

TASK = training_job.task()

import s3fs  # noqa: E402
import torch_job  # noqa: E402

ENVIRONMENT = "s3"


def open_reader():
    system = s3fs.S3FileSystem()
    return lambda key: system.cat_file(f"{TASK['row']['bucket']}/{key}")


if __name__ == "__main__":
    row = TASK["row"]
    training_job.run(TASK, lambda: torch_job.batches_of(row["keys"], open_reader, row["workers"]),
                     {"s3fs": s3fs.__version__})
