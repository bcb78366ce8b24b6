"""WebDataset under PyTorch's DataLoader; its pictures stay undecoded. Shuffled by shard, samples pass a buffer of as many
as a shard has."""

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
    row = TASK["row"]
    urls = [f"pipe:curl -s -f '{url}'" for url in row["urls"]]
    by_shard = row["order"] == "shard by shard"
    data = webdataset.WebDataset(urls, shardshuffle=len(urls) if by_shard else False, seed=1)
    if by_shard:
        in_shard = row["samples"] // len(urls)
        data = data.shuffle(in_shard, initial=in_shard)
    data = data.to_tuple("jpg", "cls").map(number_of)
    return torch.utils.data.DataLoader(data, first_batches.BATCH_SIZE, num_workers=row["threads"])


if __name__ == "__main__":
    VERSIONS = {"webdataset": webdataset.__version__}
    if TASK["row"]["order"] == "any":
        first_batches.skip(TASK, VERSIONS)
    else:
        first_batches.run(TASK, batches, VERSIONS)
