"""WebDataset under PyTorch's DataLoader, in the order in which the shards are stored; its pictures stay undecoded."""

import first_batches
import training_job

TASK = training_job.task()

import torch  # noqa: E402
import webdataset  # noqa: E402

ENVIRONMENT = "s3"


def number_of(parts):
    assert len(parts[0]) > 0
    return int(parts[1])


def batches():
    urls = [f"pipe:curl -s -f '{url}'" for url in TASK["row"]["urls"]]
    data = webdataset.WebDataset(urls, shardshuffle=False).to_tuple("jpg", "cls").map(number_of)
    return torch.utils.data.DataLoader(data, first_batches.BATCH_SIZE, num_workers=TASK["row"]["threads"])


if __name__ == "__main__":
    VERSIONS = {"webdataset": webdataset.__version__}
    if TASK["row"]["is_shuffled"]:
        first_batches.skip(TASK, VERSIONS)
    else:
        first_batches.run(TASK, batches, VERSIONS)
