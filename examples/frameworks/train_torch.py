"""Trains a small network in PyTorch on pictures that a pipeline reads: the iterator is a data set of a `DataLoader`.

    python examples/frameworks/train_torch.py [FOLDER] [--epochs N]

Each item is a whole batch, and the pipeline has the threads: the loader has no batch size, and no workers.
"""

import torch
from photo_pipeline import arguments_of, pictures, report
from torch_network import optimizer_of, small_network, train_epoch

from forebay.plugin.pytorch import DALIClassificationIterator, IterableDataset, LastBatchPolicy


def main():
    folder, classes, epochs = arguments_of(__doc__)
    batches = DALIClassificationIterator(pictures(folder, "CHW"), reader_name="reader", squeeze_labels=True,
                                         last_batch_policy=LastBatchPolicy.PARTIAL)
    loader = torch.utils.data.DataLoader(IterableDataset(batches), batch_size=None, num_workers=0)
    network = small_network(classes)
    optimizer = optimizer_of(network)
    for epoch in range(1, epochs + 1):
        report(epoch, train_epoch(network, optimizer, ((batch["data"], batch["label"]) for batch in loader)))


if __name__ == "__main__":
    main()
