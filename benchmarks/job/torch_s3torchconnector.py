"""PyTorch's DataLoader over s3torchconnector."""

import os

import training_job

TASK = training_job.task()

import s3torchconnector  # noqa: E402
import torch_job  # noqa: E402

ENVIRONMENT = "s3"


def open_reader():
    row = TASK["row"]
    uris = [f"s3://{row['bucket']}/{key}" for key in row["keys"]]
    data = s3torchconnector.S3MapDataset.from_objects(
        uris, region=os.environ["AWS_REGION"], endpoint=os.environ["AWS_ENDPOINT_URL"],
        s3client_config=s3torchconnector.S3ClientConfig(force_path_style=True))
    number_of = {key: number for number, key in enumerate(row["keys"])}
    return lambda key: data[number_of[key]].read()


if __name__ == "__main__":
    row = TASK["row"]
    training_job.run(TASK, lambda: torch_job.batches_of(row["keys"], open_reader, row["workers"]),
                     {"s3torchconnector": s3torchconnector.__version__})
