"""s3torchconnector: a map-style data set, read by sixteen threads."""

import concurrent.futures
import os

import fetching

TASK = fetching.task()

import s3torchconnector  # noqa: E402

ENVIRONMENT = "s3"
THREADS = 16


def fetch(keys):
    uris = [f"s3://{TASK['row']['bucket']}/{key}" for key in keys]
    data = s3torchconnector.S3MapDataset.from_objects(
        uris, region=os.environ["AWS_REGION"], endpoint=os.environ["AWS_ENDPOINT_URL"],
        s3client_config=s3torchconnector.S3ClientConfig(force_path_style=True))
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(lambda number: len(data[number].read()), range(len(keys))))


if __name__ == "__main__":
    fetching.measure(TASK, fetch, {"s3torchconnector": s3torchconnector.__version__})
