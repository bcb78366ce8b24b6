"""WebDataset under PyTorch's DataLoader: tar files through curl, each epoch anew."""

import training_job

TASK = training_job.task()

import torch  # noqa: E402
import torch_job  # noqa: E402
import webdataset  # noqa: E402

ENVIRONMENT = "s3"
SHUFFLED = 1000


def sample(parts):
    return torch_job.decoded(parts[0], TRANSFORM), int(parts[1])


TRANSFORM = torch_job.transform()


def batches_of(urls, workers):
    data = webdataset.WebDataset([f"pipe:curl -s -f '{url}'" for url in urls], shardshuffle=len(urls), seed=1)
    data = data.shuffle(SHUFFLED).to_tuple("jpg", "cls").map(sample)
    loader = torch.utils.data.DataLoader(data, training_job.BATCH_SIZE, drop_last=True, num_workers=workers,
                                         persistent_workers=True)
    return lambda: loader


if __name__ == "__main__":
    row = TASK["row"]
    training_job.run(TASK, lambda: batches_of(row["tars"], row["workers"]), {"webdataset": webdataset.__version__})
