"""Iterators that give dictionaries of JAX arrays; over several pipelines, each array is one, sharded over devices."""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

import jax  # type: ignore[import-not-found, unused-ignore]
import jax.numpy as jnp  # type: ignore[import-not-found, unused-ignore]
import numpy as np
from jax.sharding import (  # type: ignore[import-not-found, unused-ignore]
    Mesh,
    NamedSharding,
    PartitionSpec,
    Sharding,
)

from ...pipeline import Pipeline, pipeline_def
from ...tensors import TensorListCPU
from ..base_iterator import DictIterator, LastBatchPolicy

__all__ = ["DALIGenericIterator", "GenericIterator", "LastBatchPolicy", "data_iterator"]

_THREADS = 4


def to_jax(batch: TensorListCPU) -> jax.Array:
    """The batch as an array over the same memory. It is JAX's to keep; nobody else writes to it."""
    return jax.dlpack.from_dlpack(batch.as_tensor())


class GenericIterator(DictIterator):
    """Gives a dictionary of arrays: output name to :class:`jax.Array`.

    :param sharding: how the arrays of several pipelines, one for each device of this process, become one.
    :param pmap_compatible: the arrays get a leading axis of devices, which ``jax.pmap`` takes. Without it and without
        `sharding` that is so for more than one pipeline.

    The other arguments are those of :class:`forebay.plugin.base_iterator.BaseIterator`; JAX's functions are compiled
    for one shape, so `last_batch_policy` cannot be PARTIAL.
    """

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
        if sharding is not None and not isinstance(sharding, Sharding):
            raise TypeError(f"`sharding` must be a jax.sharding.Sharding, not {type(sharding).__name__}")
        if last_batch_policy is LastBatchPolicy.PARTIAL:
            raise ValueError("JAX iterators give whole batches: last_batch_policy must be FILL or DROP, not PARTIAL")
        self._sharding = sharding
        self._devices: Sequence[Any] | None = None  # where the shards go, without a sharding
        super().__init__(
            pipelines, output_map, size, reader_name, auto_reset, None, False, last_batch_padded, last_batch_policy,
            prepare_first_batch,
        )
        self._stacks = bool(pmap_compatible) or len(self._pipes) > 1
        if sharding is not None:
            self._check_sharding(sharding)

    def _check_sharding(self, sharding: Sharding) -> None:
        local = len(sharding.addressable_devices)
        if local != len(self._pipes):
            raise ValueError(f"`sharding` has {local} devices of this process for {len(self._pipes)} pipelines")

    def _taken(self) -> dict[str, jax.Array]:  # type: ignore[override]
        outputs, _ = self._advance()
        return {
            name: self._array([to_jax(batches[place]) for batches in outputs])
            for place, name in enumerate(self.output_map)
        }

    def _array(self, shards: list[jax.Array]) -> jax.Array:
        if any(shard.shape != shards[0].shape for shard in shards):
            raise ValueError(f"the shards of an output differ in shape: {[shard.shape for shard in shards]}")
        if self._sharding is not None:
            return self._sharded(self._sharding, shards)
        if not self._stacks:
            return shards[0]
        if self._devices is None:
            return jnp.stack(shards)
        mesh = Mesh(np.array(self._devices), ("device",))
        parts = [jax.device_put(shard[None], device) for shard, device in zip(shards, self._devices)]
        shape = (len(parts), *shards[0].shape)
        return jax.make_array_from_single_device_arrays(shape, NamedSharding(mesh, PartitionSpec("device")), parts)

    @staticmethod
    def _sharded(sharding: Sharding, shards: list[jax.Array]) -> jax.Array:
        devices = sorted(sharding.addressable_devices, key=lambda device: device.id)
        parts = [jax.device_put(shard, device) for shard, device in zip(shards, devices)]
        count = sharding.mesh.size if isinstance(sharding, NamedSharding) else len(sharding.device_set)
        shape = (count * shards[0].shape[0], *shards[0].shape[1:])
        return jax.make_array_from_single_device_arrays(shape, sharding, parts)


DALIGenericIterator = GenericIterator


def _pipelines(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], checkpoints: Sequence[Any] | None,
    devices: Sequence[Any] | None, shard_count: int,
) -> list[Pipeline]:
    """One pipeline, or one for each device, which is told its shard."""
    make = pipeline_def(function)
    named = {"num_threads": _THREADS, **named}
    if devices is None:
        return [make(*arguments, checkpoint=checkpoints[0] if checkpoints else None, **named)]
    if checkpoints and len(checkpoints) != len(devices):
        raise RuntimeError(f"{len(checkpoints)} checkpoints were given for {len(devices)} devices")
    if "batch_size" not in named:
        raise TypeError("an iterator over several devices needs `batch_size`: that of all of them together")
    named["batch_size"] = named["batch_size"] // jax.device_count()
    return [
        make(
            *arguments, **named, shard_id=device.id, num_shards=shard_count,
            checkpoint=checkpoints[place] if checkpoints else None,
        )
        for place, device in enumerate(devices)
    ]


def decorator_of(
    iterator: type[GenericIterator], function: Callable[..., Any] | None, settings: dict[str, Any],
    sharding: Sharding | None, devices: Sequence[Any] | None,
) -> Any:
    """What `data_iterator` and its like give: a decorator, or the decorated function."""
    if sharding is not None and devices is not None:
        raise ValueError("give either `sharding` or `devices`")
    if devices is not None and jax.local_device_count() != jax.device_count():
        raise RuntimeError("`devices` are those of one process; use `sharding` over several")

    def decorate(write: Callable[..., Any]) -> Callable[..., GenericIterator]:
        @functools.wraps(write)
        def make(*arguments: Any, checkpoints: Sequence[Any] | None = None, **named: Any) -> GenericIterator:
            chosen = devices if sharding is None else sorted(sharding.addressable_devices, key=lambda each: each.id)
            count = jax.device_count() if devices is None else len(devices)
            made = iterator(
                _pipelines(write, arguments, named, checkpoints, chosen, count), **settings, sharding=sharding
            )
            if devices is not None:
                made._devices = list(devices)
                made._stacks = True
            return made

        return make

    return decorate if function is None else decorate(function)


def data_iterator(
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
    """Decorates a function that writes a pipeline: calling it makes a :class:`GenericIterator` over it. It takes the
    function's arguments, those of a pipeline, and `checkpoints`.

    :param sharding: a pipeline for each of its devices, told by `shard_id` and `num_shards` which part it reads;
        `batch_size` is that of all together.
    :param devices: the same for devices of this process, for ``jax.pmap``.
    """
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
    return decorator_of(GenericIterator, pipeline_fn, settings, sharding, devices)
