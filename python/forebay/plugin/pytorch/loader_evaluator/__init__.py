"""Whether a training job waits for its loader: the times of batches, or batches that take none."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from typing import Any, Iterator

__all__ = ["LoaderEvaluator"]

_MODES = ("log", "replay")


class LoaderEvaluator:
    """Stands in for a :class:`torch.utils.data.DataLoader`.

    :param dataloader: the loader.
    :param mode: "log": its batches, with the time that each took. "replay": the last `num_cached_batches` of an epoch,
        again and again, as many as an epoch has: how fast training would be if loading took no time.
    :param num_cached_batches: batches kept for "replay".
    :param metrics_file: where :meth:`save_metrics` writes.
    """

    def __init__(
        self, dataloader: Any, mode: str = "log", num_cached_batches: int = 20,
        metrics_file: str | os.PathLike[str] | None = None,
    ) -> None:
        if mode not in _MODES:
            raise ValueError(f"mode={mode!r} must be 'log' or 'replay'")
        if num_cached_batches < 1:
            raise ValueError(f"num_cached_batches={num_cached_batches} must be at least 1")
        self.dataloader = dataloader
        self.mode = mode
        self.num_cached_batches = num_cached_batches
        self.metrics_file = metrics_file
        self.cached_batches: deque[Any] = deque(maxlen=num_cached_batches)
        self.batch_times: list[float] = []
        self.start_time: float | None = None
        self.end_time: float | None = None
        if mode == "replay":
            self.cached_batches.extend(dataloader)
            if not self.cached_batches:
                raise RuntimeError("the loader gave no batch that could be replayed")

    @property
    def cache_ready(self) -> bool:
        return bool(self.cached_batches)

    def __len__(self) -> int:
        return len(self.dataloader)

    def __iter__(self) -> Iterator[Any]:
        source = iter(self.dataloader) if self.mode == "log" else self._replayed()
        self.batch_times = []
        self.end_time = None
        self.start_time = before = time.perf_counter()
        for batch in source:
            self.batch_times.append(time.perf_counter() - before)
            self.end_time = before + self.batch_times[-1]
            yield batch
            before = time.perf_counter()

    def _replayed(self) -> Iterator[Any]:
        for place in range(len(self.dataloader)):
            yield self.cached_batches[place % len(self.cached_batches)]

    def get_metrics(self) -> dict[str, Any]:
        """Times in seconds of the last epoch, as far as it has gone; empty before its first batch."""
        if not self.batch_times or self.start_time is None or self.end_time is None:
            return {}
        total = self.end_time - self.start_time
        return {
            "mode": self.mode,
            "total_batches": len(self.batch_times),
            "total_time": total,
            "avg_batch_time": sum(self.batch_times) / len(self.batch_times),
            "min_batch_time": min(self.batch_times),
            "max_batch_time": max(self.batch_times),
            "batches_per_second": len(self.batch_times) / total if total > 0 else 0.0,
            "batch_times": list(self.batch_times),
        }

    def save_metrics(self, filename: str | os.PathLike[str] | None = None) -> None:
        """Writes the metrics as JSON."""
        target = self.metrics_file if filename is None else filename
        if target is None:
            raise ValueError("save_metrics() needs a file name, here or as `metrics_file`")
        with open(target, "w", encoding="utf-8") as file:
            json.dump(self.get_metrics(), file, indent=2)

    def print_summary(self) -> None:
        """Prints the metrics."""
        print(f"mode {self.mode}, {len(self)} batches an epoch, {len(self.cached_batches)} kept")
        metrics = self.get_metrics()
        if metrics:
            average, least, most = (1e3 * metrics[f"{name}_batch_time"] for name in ("avg", "min", "max"))
            print(f"{metrics['total_batches']} batches in {metrics['total_time']:.2f} s")
            print(f"a batch: {average:.1f} ms on average, {least:.1f} to {most:.1f} ms")
