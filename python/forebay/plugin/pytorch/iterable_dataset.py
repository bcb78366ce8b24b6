"""An iterator as a data set of PyTorch, for `DataLoader` and for trainers: Lightning's, Accelerate's, and others."""

from __future__ import annotations

import sys
from typing import Any, Generic, Iterator, TypeVar

import torch  # type: ignore[import-not-found, unused-ignore]
import torch.distributed as dist  # type: ignore[import-not-found, unused-ignore]

from ..base_iterator import BaseIterator
from ..epochs import ReaderEpochs

__all__ = ["IterableDataset"]

Batch = TypeVar("Batch")


class IterableDataset(torch.utils.data.IterableDataset[Batch], Generic[Batch]):  # type: ignore[misc, unused-ignore]
    """The batches of an iterator over one pipeline. Trainers that take any iterable, as Lightning's and Accelerate's,
    take it as it is. For what wants a `DataLoader`::

        loader = torch.utils.data.DataLoader(IterableDataset(iterator), batch_size=None)

    Each item is a whole batch, so the loader has `batch_size=None`, and the pipeline has the threads, so it has no
    workers: `num_workers=0`. A pass over it is an epoch; behind a pass that was left early it is the rest of that
    epoch, unless `rewind`. Where several processes train, each reads a shard of its own (`shard_id`, `num_shards` of
    the reader): the trainer is not to share batches out once more, so give `Accelerator.prepare` no loader of it, of
    which it would use the first rank's shard alone; that is refused.

    :meth:`state_dict` and :meth:`load_state_dict` are what stateful loaders are asked for. Lightning loads the state of
    a data set only from a checkpoint amid an epoch, and that of a `LightningDataModule` from every one: let the
    module's be the data set's. It counts the batches of the first epoch and takes no more of any, so these should be as
    many in each (`pad_last_batch` of the reader). One thread at a time.

    :param iterator: one of :mod:`forebay.plugin.pytorch`. ValueError if it has several pipelines. For a trainer's
        states it needs `reader_name` or `size`: Lightning takes a batch ahead where it does not know the length.
    :param rewind: behind a pass that was left early the next one begins where that one did, as validation wants it that
        is cut short (Lightning's sanity check, `limit_val_batches`). ValueError where the iterator has neither
        `reader_name` nor `size`.
    :param all_ranks: the state holds the places of all ranks of :mod:`torch.distributed`, which take it together: for
        trainers that keep only what the first rank gives, as Lightning and Accelerate do.
    """

    def __init__(self, iterator: BaseIterator[list[Batch]], *, rewind: bool = False, all_ranks: bool = False) -> None:
        super().__init__()
        if len(iterator._pipes) != 1:
            raise ValueError(f"a data set is over one pipeline, and this iterator has {len(iterator._pipes)}: make one "
                             "iterator for each process")
        if rewind and iterator.size < 0:
            raise ValueError("rewind=True needs an iterator with `reader_name` or `size`: where epochs begin is not known")
        self._batches = iterator  # not `_iterator`, which Lightning sets to None at the end of a run
        self._rewinds = rewind
        self._all_ranks = all_ranks
        self._begin: dict[str, Any] | None = None  # of the pass that began last

    def __iter__(self) -> Iterator[Batch]:
        if torch.utils.data.get_worker_info() is not None:
            raise RuntimeError("the pipeline has threads of its own: use DataLoader(..., num_workers=0)")
        self._check_not_divided()
        begin = None if self._batches._is_finished() else self._begin
        batches = iter(self._batches)
        if begin is not None and begin != self._batches.state_dict():
            self._batches.load_state_dict(begin)
        elif begin is None and self._rewinds:
            self._begin = self._batches.state_dict()
        return _Pass(self, batches)

    def _check_not_divided(self) -> None:
        """RuntimeError where Accelerate would divide the first rank's batches between all, and leave other shards."""
        loaders = sys.modules.get("accelerate.data_loader")
        epochs = self._batches._epochs
        if loaders is None or not isinstance(epochs, ReaderEpochs) or int(epochs.meta["number_of_shards"]) == 1:
            return
        active = loaders.GradientState().active_dataloader
        if not isinstance(active, loaders.DataLoaderDispatcher) or active.dataset is not self:
            return
        if active.state.num_processes > 1:
            raise RuntimeError("Accelerator.prepare was given a loader of a data set of which each rank reads a shard, "
                               "and would use the first rank's alone: do not prepare the loader, or give it the data "
                               "set itself")

    def __len__(self) -> int:
        if self._batches.size < 0:
            raise TypeError("the length is not known: the iterator has neither `size` nor `reader_name`")
        return len(self._batches)

    def state_dict(self) -> dict[str, Any]:
        """Where the iterator is; with `all_ranks` where those of all ranks are, which call this together."""
        state = self._batches.state_dict()
        if not self._all_ranks:
            return state
        states: list[Any] = [state]
        if dist.is_available() and dist.is_initialized():
            states = [None] * dist.get_world_size()
            dist.all_gather_object(states, state)
        return {"ranks": states}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from a state; see :meth:`forebay.plugin.base_iterator.BaseIterator.load_state_dict`. Of as many ranks
        as there are now, each goes on from its own; with more or fewer, what all have left is divided anew."""
        if isinstance(state, dict) and "ranks" in state:
            joined = dist.is_available() and dist.is_initialized()
            rank, ranks = (dist.get_rank(), dist.get_world_size()) if joined else (0, 1)
            states = state["ranks"]
            self._batches.load_state_dict(states[rank] if len(states) == ranks else states)
        else:
            self._batches.load_state_dict(state)
        self._begin = None

    def checkpoints(self) -> list[bytes]:
        """Where the iterator is, for `Pipeline(checkpoint=...)`."""
        return self._batches.checkpoints()


class _Pass(Generic[Batch]):
    """An epoch, or the rest of one. It goes on behind a broken batch."""

    def __init__(self, dataset: IterableDataset[Batch], batches: Iterator[list[Batch]]) -> None:
        self._dataset = dataset
        self._batches = batches

    def __iter__(self) -> _Pass[Batch]:
        return self

    def __next__(self) -> Batch:
        try:
            return next(self._batches)[0]
        except StopIteration:
            self._dataset._begin = None
            raise
