"""What the contenders of `outage/` that feed a PyTorch DataLoader share: whole objects, read by four forked workers."""

import three_jobs
import torch

WORKERS = 4


class Objects(torch.utils.data.Dataset):
    """`open_reader()` is called once in each worker, and returns what gives the bytes of a key."""

    def __init__(self, keys, open_reader):
        self.keys = keys
        self.open_reader = open_reader
        self.read = None

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, number):
        self.read = self.read or self.open_reader()
        content = self.read(self.keys[number])
        assert len(content) > 0
        return number


def batches_of(keys, open_reader):
    loader = torch.utils.data.DataLoader(Objects(keys, open_reader), three_jobs.BATCH_SIZE, shuffle=True,
                                         num_workers=WORKERS, persistent_workers=True,
                                         multiprocessing_context="fork")
    return three_jobs.again_and_again(loader)
