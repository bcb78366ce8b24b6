"""Indexed: a data set whose transform is told which sample it gets."""

from __future__ import annotations

from typing import Any

from .transform import Transform

__all__ = ["Indexed"]


class Indexed:
    """A data set for torch's DataLoader: that of `dataset` with its images transformed. What is drawn for item i
    depends on the transform's seed, the epoch and i alone: not on workers, batches or the order of the items.

    :param dataset: its items are an image, or a tuple whose first part is one.
    """

    def __init__(self, dataset: Any, transform: Transform) -> None:
        self.dataset = dataset
        self.transform = transform
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """For the next epoch. Workers that stay alive between epochs are not told: make them anew."""
        self.epoch = int(epoch)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        item = self.dataset[index]
        if isinstance(item, tuple):
            return (self.transform(item[0], index=index, epoch=self.epoch), *item[1:])
        return self.transform(item, index=index, epoch=self.epoch)
