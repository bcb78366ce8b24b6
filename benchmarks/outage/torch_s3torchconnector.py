"""PyTorch's DataLoader over s3torchconnector."""

import os

import three_jobs

TASK = three_jobs.task()

import counted_objects  # noqa: E402
import s3torchconnector  # noqa: E402

ENVIRONMENT = "s3"


def workers(row, rank):
    def open_reader():
        uris = [f"s3://{row['bucket']}/{key}" for key in row["keys"]]
        data = s3torchconnector.S3MapDataset.from_objects(
            uris, region=os.environ["AWS_REGION"], endpoint=os.environ["AWS_ENDPOINT_URL"],
            s3client_config=s3torchconnector.S3ClientConfig(force_path_style=True))
        number_of = {key: number for number, key in enumerate(row["keys"])}
        return lambda key: data[number_of[key]].read()

    return counted_objects.batches_of(row["keys"], open_reader)


if __name__ == "__main__":
    three_jobs.run(TASK, {"workers": workers}, {"s3torchconnector": s3torchconnector.__version__})
