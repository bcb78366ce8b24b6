"""Trains a small network in PyTorch on a data set of its own, through a `DataLoader` with workers; a pipeline decodes.

    python examples/frameworks/train_torch_proxy.py [FOLDER] [--epochs N]

The workers read files; what they note for the transform travels with the batch, and the pipeline runs on the whole
batch in this process, one batch ahead.
"""

import os
import pathlib

import torch
from photo_pipeline import BATCH, arguments_of, normalised, report
from torch_network import optimizer_of, small_network, train_epoch

from forebay import fn, pipeline_def
from forebay.plugin.pytorch.experimental.proxy import DALIServer, DataLoader


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=None, seed=1)
def decoded():
    return normalised(fn.external_source(name="file"), "CHW")


class Pictures(torch.utils.data.Dataset):
    """Files and their classes, as torchvision's ImageFolder has them; `transform` gets a file's bytes."""

    def __init__(self, folder, transform):
        classes = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
        self.samples = [(path.path, number) for number, name in enumerate(classes)
                        for path in sorted(os.scandir(name), key=lambda entry: entry.name)]
        self.transform = transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, label = self.samples[index]
        return self.transform(pathlib.Path(path).read_bytes()), label


def main():
    folder, classes, epochs = arguments_of(__doc__)
    network = small_network(classes)
    optimizer = optimizer_of(network)
    with DALIServer(decoded()) as server:
        loader = DataLoader(server, Pictures(folder, server.proxy), batch_size=BATCH, shuffle=True, num_workers=2)
        for epoch in range(1, epochs + 1):
            report(epoch, train_epoch(network, optimizer, loader))


if __name__ == "__main__":
    main()
