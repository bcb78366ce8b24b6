"""What iterators need to know about a reader, asked for when it is looked up: while the samples of remote shards are being
found, their number is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class ReaderFacts(Mapping[str, int]):
    """What `Pipeline.reader_meta` gives. `epoch_size` and `epoch_size_padded` wait until all samples are known."""

    def __init__(self, session: Callable[[], Any], reader: str) -> None:
        """`session` gives that of the pipeline."""
        self._session = session
        self._reader = reader
        self._facts: dict[str, int] = session().known_reader_meta(reader)

    def __getitem__(self, name: str) -> int:
        if name in ("epoch_size", "epoch_size_padded"):
            self._wait_for_sizes()
        return self._facts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def has(self, samples: int) -> bool:
        """Whether an epoch has so many, over all shards; waits no longer than until these are known."""
        if self.has_sizes:
            return self._facts["epoch_size"] >= samples
        return bool(self._session().has_samples(self._reader, samples))

    @property
    def has_sizes(self) -> bool:
        """Whether the number of samples is known, as far as this has heard."""
        return self._facts["epoch_size"] > 0

    def _wait_for_sizes(self) -> None:
        if not self.has_sizes:
            self._facts = self._session().reader_meta(self._reader)
