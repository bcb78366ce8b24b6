"""A cache for what lies far away: bytes read once are kept on local disks, and in memory."""

from __future__ import annotations

import atexit
import os
from types import TracebackType
from typing import Sequence

from . import _core

__all__ = ["Cache", "cache"]

DEFAULT_QUOTA_BYTES = 64 << 30
DEFAULT_FREE_BYTES = 1 << 30


class Cache:
    """The cache of this process, made by `forebay.cache`; as a context manager, it is closed at the end."""

    def __init__(self, core: _core.InstalledCache) -> None:
        self._core = core
        atexit.register(core.close)  # what waits is written, so that the next start need not search

    def __enter__(self) -> Cache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def statistics(self) -> dict[str, int]:
        """Hits, misses, bytes by where they came from, evictions: since it was opened; and bytes in use."""
        return self._core.statistics()

    def flush(self) -> None:
        """Waits until what was read so far is on disk."""
        self._core.flush()

    def close(self) -> None:
        """Nothing is read through it any more. Another may have its directory once no batch holds bytes of it."""
        self._core.close()
        atexit.unregister(self._core.close)


def cache(
    directory: str | os.PathLike[str] | None = None,
    quota_bytes: int = DEFAULT_QUOTA_BYTES,
    *,
    memory_bytes: int = 0,
    least_free_bytes: int = DEFAULT_FREE_BYTES,
    schemes: Sequence[str] = (),
    trusted_seconds: float = 1.0,
    immutable: bool = False,
) -> Cache:
    """Reads remote data through a cache from now on: pipelines and data sets that are opened later.

    directory: where it lies, for this process alone; made if it is not there. None: in memory only
    quota_bytes: what it may take there; `least_free_bytes` of the file system stay free in any case
    memory_bytes: what it keeps in memory, beside the page cache
    schemes: of the URIs that are cached ("https", "s3"; "file" for slow file systems); none: all but local files
    trusted_seconds: how long an answer about an object's version is trusted; an index's versions always are
    immutable: objects never change, so that no version is asked for twice
    """
    if directory is None and memory_bytes <= 0:
        raise ValueError("a cache lies in a directory, or takes memory: name a directory, or give memory_bytes")
    path = None if directory is None else os.fspath(directory)
    return Cache(
        _core.open_cache(
            path, quota_bytes, memory_bytes, least_free_bytes, list(schemes), trusted_seconds, immutable
        )
    )
