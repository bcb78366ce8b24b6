"""The cache of this host, which all processes share: what it holds, and looking after it.

    from forebay import host_cache

    host_cache.preload("s3://bucket/train", seed=7)
    host_cache.share("s3://bucket/train").held_bytes
    host_cache.pin("s3://bucket/validation")

What `forebay cache` and `forebay preload` do (docs/cache.md). A path is a URI, or a path that the
mount table knows, and stands for what lies at it and below it. The functions wait without the GIL, and Ctrl-C ends
the waiting; any thread may call them. `on_progress(done, all)` is called by the same thread, some times a second; `all`
is 0 while a listing does not know it.

Where no daemon serves they raise OSError, whose message says how to start one.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from . import _core

__all__ = [
    "Flushed",
    "Preload",
    "Rule",
    "Share",
    "Walked",
    "flush",
    "free",
    "pin",
    "preload",
    "preload_status",
    "remove_rule",
    "rules",
    "set_rule",
    "share",
    "status",
    "stop_preload",
    "unpin",
    "verify",
]

Path = str | bytes | os.PathLike[str]
OnProgress = Callable[[int, int], object]


@dataclasses.dataclass(frozen=True)
class Walked:
    """What was looked at. An entry is an object, a chunk of a large one, or a range of it."""

    entries: int
    bytes: int
    dropped: int  # freed, or damaged
    dropped_bytes: int
    pinned: int  # and therefore left, by free()
    unreadable: int  # nothing is known of them, for the daemon lacked descriptors or memory: try again


@dataclasses.dataclass(frozen=True)
class Share:
    """How much of a path is held. Versions that have been replaced count until they go."""

    stored_objects: int
    stored_bytes: int
    held_entries: int
    held_bytes: int
    pinned_entries: int
    unreadable: int
    uncached_mounts: int  # at or below the path, and not counted


@dataclasses.dataclass(frozen=True)
class Rule:
    """How what lies at or below a URI is kept."""

    uri: str
    pinned: bool
    priority: int  # what has less goes first
    ttl_seconds: int  # 0: as long as there is room
    admitted: bool
    quota: int  # bytes; 0: as many as there is room for


@dataclasses.dataclass(frozen=True)
class Flushed:
    stored: int  # objects, while flush() waited
    waiting: int
    failing: int
    last_error: str


@dataclasses.dataclass(frozen=True)
class Preload:
    """How far a preload is; counts are those of all calls that worked on it."""

    state: str  # "running", "done" or "stopped"
    uri: str
    objects: int
    bytes: int
    fetched_objects: int  # the others were there
    fetched_bytes: int
    failed: int
    first_error: str


def _named(path: Path | None) -> Path | None:
    """None stands for everything; a variable that was not set must not."""
    if path is not None and not os.fsencode(path):
        raise ValueError("an empty path; give None for everything")
    return path


def status() -> dict[str, Any]:
    """The daemon's counts: hits, bytes from stores, what is held, what waits to be stored, and its processes."""
    counts: dict[str, Any] = json.loads(_core.host_cache_counts())
    return counts


def share(path: Path, *, on_progress: OnProgress | None = None) -> Share:
    """How much of what is there now is held. Lists the stores, so it takes as long as that does."""
    fields = _core.host_cache_share(path, on_progress)
    return Share(
        fields["stored_objects"],
        fields["stored_bytes"],
        fields["entries"],
        fields["bytes"],
        fields["pinned"],
        fields["unreadable"],
        fields["uncached_mounts"],
    )


def verify(path: Path | None = None, *, on_progress: OnProgress | None = None) -> Walked:
    """Compares what is on disk with its checksums, all of it without a path; what is damaged is dropped."""
    return Walked(**_core.host_cache_verify(_named(path), on_progress))


def free(path: Path, *, on_progress: OnProgress | None = None) -> Walked:
    """Gives up what is held, but for what is pinned. Who reads it keeps the bytes until done."""
    return Walked(**_core.host_cache_free(path, on_progress))


def pin(path: Path) -> None:
    """Keeps what is read of a path, whatever else needs room. Without a daemon it holds from when one runs."""
    _core.host_cache_pin(path)


def unpin(path: Path) -> None:
    """Lets it go again. FileNotFoundError if it is not pinned; OSError if it is with what lies above it."""
    _core.host_cache_unpin(path)


def rules(path: Path | None = None) -> list[Rule]:
    """The rules that hold at or below a path; all without one."""
    return [Rule(*fields) for fields in _core.host_cache_rules(_named(path))]


def set_rule(
    path: Path,
    *,
    ttl: datetime.timedelta | float | None = None,
    priority: int | None = None,
    admit: bool | None = None,
    quota: int | None = None,
) -> None:
    """Says how what is read of a path is kept; what is None stays as it is.

    ttl: what was read so long ago (seconds, or a timedelta) is read again; 0: kept as long as there is room
    priority: -128 to 127; what has less goes first
    admit: whether it comes into the cache at all; what is held goes otherwise
    quota: what is kept takes at most so many bytes: beyond that, its own entries go; 0: as much as there is room for
    """
    if ttl is None and priority is None and admit is None and quota is None:
        raise ValueError("a rule says something: give ttl, priority, admit or quota")
    if quota is not None and not 0 <= quota < 2**64:
        raise ValueError(f"quota: {quota} bytes; it is between 0 and {2**64 - 1}")
    seconds = ttl.total_seconds() if isinstance(ttl, datetime.timedelta) else ttl
    whole_seconds = None if seconds is None else _whole_seconds(seconds)
    _core.host_cache_change_rule(path, whole_seconds, priority, admit, quota)


def _whole_seconds(seconds: float) -> int:
    """At least 1 unless it is 0, which means something else."""
    if not 0 <= seconds < 2**32 - 1:
        raise ValueError(f"ttl: {seconds} seconds; it is between 0 and {2**32 - 2}")
    return max(round(seconds), 1 if seconds > 0 else 0)


def remove_rule(path: Path) -> None:
    """Removes the rule of a path, and the pin that it may be. FileNotFoundError if there is none."""
    _core.host_cache_remove_rule(path)


def flush(
    path: Path | None = None, *, wait: float | None = None, on_progress: OnProgress | None = None
) -> Flushed:
    """Waits until what was written to mounts that are written back is stored, all of it without a path.

    Starts a daemon if something waits and none runs. With `wait`, for so many seconds at most; `waiting` says what is
    left.
    """
    return Flushed(*_core.host_cache_flush(_named(path), wait, on_progress))


def preload(
    path: Path,
    *,
    seed: int | None = None,
    epoch: int = 0,
    num_shards: int = 1,
    index: Path | None = None,
    extensions: str | Sequence[str] = (),
    verify: bool = False,
    rate_limit: int = 0,
    again: bool = False,
    on_progress: OnProgress | None = None,
) -> Preload:
    """Brings a folder into the cache, beside the jobs that run. Call it again to go on where an earlier call ended.

    seed, epoch, num_shards: in the order in which readers with random_shuffle and this seed read it; by name without
    index, extensions: of the data set, see `fn.readers.webdataset`; extensions are those of the parts of a sample
    verify: what was written to the cache is read back and compared
    rate_limit: most bytes that are fetched a second; 0: no limit
    again: begins anew where an earlier call was not finished

    When the daemon goes, it waits for the next one, for FOREBAY_RETRY_FOR seconds (ten minutes). Objects that could not
    be brought are counted in `failed`. State "stopped": stop_preload() ended it. OSError with the cause if the cache or
    the store fails; MemoryError if there is more than the cache, or the quota of a rule, holds.
    """
    _check_order(seed, epoch, num_shards)
    parts = [extensions] if isinstance(extensions, str) else list(extensions)
    if seed is None and (index is not None or parts):
        raise ValueError("index and extensions are for a data set in an order: give seed, too")
    fields = _core.host_cache_preload(
        path, seed, epoch, num_shards, index, parts, verify, rate_limit, again, on_progress
    )
    return _preload_of(fields)


def _check_order(seed: int | None, epoch: int, num_shards: int) -> None:
    if seed is None and (epoch != 0 or num_shards != 1):
        raise ValueError("epoch and num_shards are of an order: give seed, too")


def preload_status(path: Path, *, seed: int | None = None, epoch: int = 0, num_shards: int = 1) -> Preload:
    """How far it is, in this process or another. FileNotFoundError if it was never begun in this order."""
    _check_order(seed, epoch, num_shards)
    return _preload_of(_core.host_cache_preload_status(path, seed, epoch, num_shards))


def stop_preload(path: Path, *, seed: int | None = None, epoch: int = 0, num_shards: int = 1) -> None:
    """Asks the call that is at work on it, in this process or another, to end, and does not wait.

    FileNotFoundError if there is none. What it has brought stays.
    """
    _check_order(seed, epoch, num_shards)
    _core.host_cache_stop_preload(path, seed, epoch, num_shards)


def _preload_of(fields: dict[str, Any]) -> Preload:
    return Preload(**fields)
