"""WebDataset under PyTorch's DataLoader: tar files through curl, each epoch anew."""

import three_jobs
import training_job

TASK = training_job.task()

import torch  # noqa: E402
import webdataset  # noqa: E402

ENVIRONMENT = "s3"
WORKERS = 2
SHUFFLED = 1000


def number_of(parts):
    assert len(parts[0]) > 0
    return int(parts[1])


def tars(row, rank):
    urls = [f"pipe:curl -s -f '{url}'" for url in row["urls"]]
    data = webdataset.WebDataset(urls, shardshuffle=len(urls), seed=1)
    data = data.shuffle(SHUFFLED).to_tuple("jpg", "cls").map(number_of)
    loader = torch.utils.data.DataLoader(data, three_jobs.BATCH_SIZE, num_workers=WORKERS, persistent_workers=True)
    return three_jobs.again_and_again(loader)


if __name__ == "__main__":
    three_jobs.run(TASK, {"tars": tars}, {"webdataset": webdataset.__version__})
