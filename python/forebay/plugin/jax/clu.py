"""Iterators that can be looked into ahead, as CLU's `DatasetIterator`."""

from __future__ import annotations

import concurrent.futures
import threading
from typing import TYPE_CHECKING, Any, Callable, ParamSpec, Sequence, overload

import jax  # type: ignore[import-not-found, unused-ignore]
import jax.numpy as jnp  # type: ignore[import-not-found, unused-ignore]
import numpy as np
from jax.sharding import Sharding  # type: ignore[import-not-found, unused-ignore]

from ...pipeline import Pipeline
from ..epochs import LastBatchPolicy, ReaderEpochs
from .iterator import GenericIterator, decorator_of

if TYPE_CHECKING:
    from ...graph.pipeline_function import IteratorFunction

try:
    from clu.data.dataset_iterator import ArraySpec  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("forebay.plugin.jax.clu needs CLU; install the package 'clu'", name=error.name) from error

__all__ = ["DALIGenericPeekableIterator", "GenericPeekableIterator", "LastBatchPolicy", "peekable_data_iterator"]

P = ParamSpec("P")


def _spec_of(batch: dict[str, jax.Array]) -> dict[str, ArraySpec]:
    return {name: ArraySpec(shape=array.shape, dtype=array.dtype) for name, array in batch.items()}


class GenericPeekableIterator(GenericIterator):
    """A :class:`forebay.plugin.jax.GenericIterator` whose next batch can be looked at before it is taken. All batches
    have the shapes and types of the first; another one raises ValueError."""

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: bool | str | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        sharding: Sharding | None = None,
        pmap_compatible: bool | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._spec: dict[str, ArraySpec] | None = None
        self._executor: concurrent.futures.ThreadPoolExecutor | None = None
        super().__init__(
            pipelines, output_map, size, reader_name, auto_reset, last_batch_padded, last_batch_policy,
            prepare_first_batch, sharding, pmap_compatible,
        )

    def _taken(self) -> dict[str, jax.Array]:
        batch = super()._taken()
        spec = _spec_of(batch)
        if self._spec is None:
            self._spec = spec
        for name in batch:
            if spec[name] != self._spec[name]:
                raise ValueError(
                    f"the output '{name}' has changed: {spec[name]} after {self._spec[name]}; a peekable iterator gives "
                    "batches of one shape and type"
                )
        return batch

    def __next__(self) -> dict[str, jax.Array]:
        with self._lock:
            return super().__next__()

    def peek(self) -> dict[str, jax.Array]:
        """The next batch, which stays the next."""
        with self._lock:
            return self._look_ahead()

    def peek_async(self) -> concurrent.futures.Future[dict[str, jax.Array]]:
        """:meth:`peek`, on a thread."""
        if self._executor is None:
            self._executor = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="forebay-peek")
        return self._executor.submit(self.peek)

    def state_dict(self) -> dict[str, Any]:
        with self._lock:
            return super().state_dict()

    def load_state_dict(self, state: dict[str, Any] | list[dict[str, Any]]) -> None:
        with self._lock:
            super().load_state_dict(state)

    def checkpoints(self) -> list[bytes]:
        with self._lock:
            return super().checkpoints()

    def reset(self) -> None:
        with self._lock:
            super().reset()

    @property
    def element_spec(self) -> dict[str, ArraySpec]:
        """Shape and type of each output."""
        if self._spec is None:
            self.peek()
        assert self._spec is not None
        return self._spec

    def _own_counts(self) -> list[int]:
        """For each pipeline, how many samples of its last batch are of the epoch."""
        epochs = self._epochs
        if isinstance(epochs, ReaderEpochs):
            before = (epochs.step - 1) * self.batch_size
            left = [epochs.shard_size(shard) - before for shard in epochs.shard_ids]
        else:
            beyond = 0 if epochs.size < 0 else max(0, epochs.counter - epochs.size)
            total = len(self._pipes) * self.batch_size - beyond
            left = [total - place * self.batch_size for place in range(len(self._pipes))]
        return [max(0, min(self.batch_size, count)) for count in left]

    @property
    def is_nonpadding(self) -> Any:
        """For each sample of the last batch, whether it is one of the epoch, and not there to fill the batch."""
        masks = [np.arange(self.batch_size) < count for count in self._own_counts()]
        if self._sharding is None:
            return np.concatenate(masks)
        return self._sharded(self._sharding, [jnp.asarray(mask) for mask in masks])


DALIGenericPeekableIterator = GenericPeekableIterator


@overload
def peekable_data_iterator(
    pipeline_fn: Callable[P, Any],
    output_map: Sequence[str] = ...,
    size: int = ...,
    reader_name: str | None = ...,
    auto_reset: bool | str | None = ...,
    last_batch_padded: bool = ...,
    last_batch_policy: LastBatchPolicy = ...,
    prepare_first_batch: bool = ...,
    sharding: Sharding | None = ...,
    devices: Sequence[Any] | None = ...,
    pmap_compatible: bool | None = ...,
) -> IteratorFunction[P, GenericPeekableIterator]: ...


@overload
def peekable_data_iterator(
    pipeline_fn: None = None,
    output_map: Sequence[str] = ...,
    size: int = ...,
    reader_name: str | None = ...,
    auto_reset: bool | str | None = ...,
    last_batch_padded: bool = ...,
    last_batch_policy: LastBatchPolicy = ...,
    prepare_first_batch: bool = ...,
    sharding: Sharding | None = ...,
    devices: Sequence[Any] | None = ...,
    pmap_compatible: bool | None = ...,
) -> Callable[[Callable[P, Any]], IteratorFunction[P, GenericPeekableIterator]]: ...


def peekable_data_iterator(
    pipeline_fn: Callable[..., Any] | None = None,
    output_map: Sequence[str] = (),
    size: int = -1,
    reader_name: str | None = None,
    auto_reset: bool | str | None = False,
    last_batch_padded: bool = False,
    last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
    prepare_first_batch: bool = True,
    sharding: Sharding | None = None,
    devices: Sequence[Any] | None = None,
    pmap_compatible: bool | None = None,
) -> Any:
    """As :func:`forebay.plugin.jax.data_iterator`, with iterators that can be looked into ahead."""
    settings = {
        "output_map": output_map,
        "size": size,
        "reader_name": reader_name,
        "auto_reset": auto_reset,
        "last_batch_padded": last_batch_padded,
        "last_batch_policy": last_batch_policy,
        "prepare_first_batch": prepare_first_batch,
        "pmap_compatible": pmap_compatible,
    }
    return decorator_of(GenericPeekableIterator, pipeline_fn, settings, sharding, devices)
