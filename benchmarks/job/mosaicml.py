"""MosaicML Streaming under PyTorch's DataLoader: its shards are kept on disk from the first epoch on."""

import os
import shutil
import tempfile

import training_job

TASK = training_job.task()
os.environ["S3_ENDPOINT_URL"] = os.environ["AWS_ENDPOINT_URL"]

import importlib.metadata  # noqa: E402

import shards  # noqa: E402
import streaming  # noqa: E402
import torch  # noqa: E402
import torch_job  # noqa: E402

ENVIRONMENT = "s3"


class Pictures(streaming.StreamingDataset):
    def __init__(self, folder):
        super().__init__(remote=f"s3://{TASK['row']['bucket']}/{shards.MDS}", local=folder, shuffle=True, shuffle_seed=1,
                         batch_size=training_job.BATCH_SIZE)
        self.transform = torch_job.transform()

    def __getitem__(self, number):
        found = super().__getitem__(number)
        return torch_job.decoded(found["image"], self.transform), found["label"]


def batches_of(folder):
    loader = torch.utils.data.DataLoader(Pictures(folder), training_job.BATCH_SIZE, drop_last=True,
                                         num_workers=TASK["row"]["workers"], persistent_workers=True)
    return lambda: loader


if __name__ == "__main__":
    place = tempfile.mkdtemp()
    try:
        training_job.run(TASK, lambda: batches_of(f"{place}/shards"),
                         {"mosaicml-streaming": importlib.metadata.version("mosaicml-streaming")})
    finally:
        shutil.rmtree(place)
