"""s3fs (fsspec): all objects are asked for at once."""

import fetching

TASK = fetching.task()

import s3fs  # noqa: E402

ENVIRONMENT = "s3"


def fetch(keys):
    system = s3fs.S3FileSystem()
    contents = system.cat([f"{TASK['row']['bucket']}/{key}" for key in keys])
    return sum(len(content) for content in contents.values())


if __name__ == "__main__":
    fetching.measure(TASK, fetch, {"s3fs": s3fs.__version__})
