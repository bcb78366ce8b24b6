"""Forebay, without the host's cache: all objects are asked for at once."""

import fetching

TASK = fetching.task()

import forebay  # noqa: E402
import forebay.filesystem  # noqa: E402

ENVIRONMENT = "forebay"


def fetch(keys):
    system = forebay.filesystem.ForebayFileSystem()
    contents = system.cat([f"s3://{TASK['row']['bucket']}/{key}" for key in keys])
    return sum(len(content) for content in contents.values())


if __name__ == "__main__":
    fetching.measure(TASK, fetch, {"forebay": forebay.__version__})
