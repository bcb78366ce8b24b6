"""`DataLoader`: batches of a data set, made ahead by threads or processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from . import workers
from .batchify import stacked
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler


class DataLoader:
    """Batches of samples stacked by ``batchify_fn``, of ``batch_size`` of them in order, or shuffled, or by a sampler.

    ``num_workers`` processes (or with ``thread_pool`` threads) make batches, ``prefetch`` (twice as many by default)
    ahead; 0 makes them when they are asked for. Batches are the same whatever makes them. ``timeout`` is for one batch,
    in seconds. Memory need not be pinned; ``pin_memory`` changes nothing.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Sampler[int] | None = None,
        last_batch: str | None = None,
        batch_sampler: Sampler[list[int]] | None = None,
        batchify_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float = 120,
        auto_reload: bool = False,
    ) -> None:
        self._batch_sampler = _batches_by(dataset, batch_size, shuffle, sampler, last_batch, batch_sampler)
        self._num_workers = max(0, num_workers)
        self._prefetch = max(1, 2 * self._num_workers if prefetch is None else prefetch)
        self._timeout = timeout
        self._work = workers.Work(dataset, batchify_fn or stacked)
        kind = workers.Threads if thread_pool else workers.Processes
        self._pool: workers.Pool | None = kind(self._num_workers, self._work) if self._num_workers else None

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        jobs = (workers.Job.new(indices) for indices in self._batch_sampler)
        if self._pool is None:
            return map(self._work, jobs)
        return self._ahead(self._pool, jobs)

    def _ahead(self, pool: workers.Pool, jobs: Iterator[workers.Job]) -> Iterator[Any]:
        pending: deque[workers.Pending] = deque()
        try:
            pending.extend(map(pool.submit, islice(jobs, self._prefetch)))
            while pending:
                batch = pending[0].result(self._timeout)
                pending.popleft()
                pending.extend(map(pool.submit, islice(jobs, 1)))
                yield batch
        finally:  # left early, or a batch did not come
            for unwanted in pending:
                unwanted.cancel()

    def close(self) -> None:
        """Ends the workers; the loader gives no more batches."""
        if self._pool is not None:
            self._pool.close()


def _batches_by(
    dataset: Any,
    batch_size: int | None,
    shuffle: bool,
    sampler: Sampler[int] | None,
    last_batch: str | None,
    batch_sampler: Sampler[list[int]] | None,
) -> Sampler[list[int]]:
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise ValueError("batch_size, shuffle, sampler and last_batch are for a loader without batch_sampler")
        return batch_sampler
    if batch_size is None:
        raise ValueError("a loader needs batch_size or batch_sampler")
    if sampler is not None and shuffle:
        raise ValueError("shuffle is for a loader without sampler")
    if sampler is None:
        sampler = RandomSampler(len(dataset)) if shuffle else SequentialSampler(len(dataset))
    return BatchSampler(sampler, batch_size, last_batch or "keep")
