"""What the contenders of `job/` that feed a PyTorch DataLoader share: decoding by Pillow, as its tutorials do."""

import io

import torch
import training_job
from PIL import Image
from torchvision import transforms


def transform():
    scaled = [[value / 255 for value in values] for values in (training_job.MEAN, training_job.STD)]
    return transforms.Compose([
        transforms.RandomResizedCrop(training_job.SIZE),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize(*scaled),
    ])


def decoded(content, steps):
    return steps(Image.open(io.BytesIO(content)).convert("RGB"))


class Pictures(torch.utils.data.Dataset):
    """`open_reader()` is called once in each worker, and returns what gives the bytes of a key."""

    def __init__(self, keys, open_reader):
        self.keys = keys
        self.open_reader = open_reader
        self.read = None
        self.transform = transform()

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, number):
        self.read = self.read or self.open_reader()
        key = self.keys[number]
        return decoded(self.read(key), self.transform), int(key.split("/")[1])


def batches_of(keys, open_reader, workers):
    data = Pictures(keys, open_reader)
    loader = torch.utils.data.DataLoader(data, training_job.BATCH_SIZE, shuffle=True, drop_last=True, num_workers=workers,
                                         persistent_workers=True, multiprocessing_context="spawn")
    return lambda: loader
