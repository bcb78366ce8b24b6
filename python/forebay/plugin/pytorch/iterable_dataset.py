"""An iterator as a data set of PyTorch, for what wants a `DataLoader`: trainers of Lightning, Accelerate, and others."""

from __future__ import annotations

import operator
from typing import Any, Generic, Iterator, TypeVar

import torch  # type: ignore[import-not-found, unused-ignore]

from ..base_iterator import BaseIterator

__all__ = ["IterableDataset"]

Batch = TypeVar("Batch")


class IterableDataset(torch.utils.data.IterableDataset[Batch], Generic[Batch]):  # type: ignore[misc, unused-ignore]
    """The batches of an iterator over one pipeline::

        loader = torch.utils.data.DataLoader(IterableDataset(iterator), batch_size=None)

    Each item is a whole batch, so the loader has `batch_size=None`, and the pipeline has the threads, so it has no
    workers: `num_workers=0`. A pass over it is an epoch; behind a pass that was left early it is the rest of that epoch
    (as behind Lightning's sanity check; `num_sanity_val_steps=0` leaves it out). Where several processes train, each reads a
    shard of its own (`shard_id`, `num_shards` of the reader): the trainer is not to share batches out once more, so pass
    `use_distributed_sampler=False` to Lightning's Trainer, and do not give the loader to `Accelerator.prepare`.
    :meth:`state_dict` and :meth:`load_state_dict` are those of the
    iterator, and what `torchdata`'s stateful loaders ask for. One thread at a time.

    :param iterator: one of :mod:`forebay.plugin.pytorch`. ValueError if it has several pipelines.
    """

    def __init__(self, iterator: BaseIterator[list[Batch]]) -> None:
        super().__init__()
        if len(iterator._pipes) != 1:
            raise ValueError(f"a data set is over one pipeline, and this iterator has {len(iterator._pipes)}: make one "
                             "iterator for each process")
        self._iterator = iterator

    def __iter__(self) -> Iterator[Batch]:
        if torch.utils.data.get_worker_info() is not None:
            raise RuntimeError("the pipeline has threads of its own: use DataLoader(..., num_workers=0)")
        return map(operator.itemgetter(0), self._iterator)  # which goes on behind a broken batch

    def __len__(self) -> int:
        if self._iterator.size < 0:
            raise TypeError("the length is not known: the iterator has neither `size` nor `reader_name`")
        return len(self._iterator)

    def state_dict(self) -> dict[str, Any]:
        """Where the iterator is."""
        return self._iterator.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from a state; see :meth:`forebay.plugin.base_iterator.BaseIterator.load_state_dict`."""
        self._iterator.load_state_dict(state)

    def checkpoints(self) -> list[str]:
        """Where the iterator is, for `Pipeline(checkpoint=...)`."""
        return self._iterator.checkpoints()
