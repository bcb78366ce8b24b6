"""Iterators that give dictionaries of JAX arrays; over several pipelines, each array is one, sharded over devices."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, ParamSpec, Sequence, overload

import jax  # type: ignore[import-not-found, unused-ignore]
import jax.dlpack  # type: ignore[import-not-found, unused-ignore]
import jax.numpy as jnp  # type: ignore[import-not-found, unused-ignore]
import numpy as np
from jax.sharding import (  # type: ignore[import-not-found, unused-ignore]
    Mesh,
    NamedSharding,
    PartitionSpec,
    Sharding,
)

from ... import _core, interop, types
from ...pipeline import Pipeline, pipeline_def
from ...tensors import TensorListCPU
from ..base_iterator import DictIterator, LastBatchPolicy

if TYPE_CHECKING:
    from ...graph.pipeline_function import IteratorFunction

__all__ = ["DALIGenericIterator", "GenericIterator", "LastBatchPolicy", "data_iterator"]

P = ParamSpec("P")

_THREADS = 4
_ALIGNMENT = 64  # of memory that JAX takes as it is
_WIDE = frozenset({types.INT64, types.UINT64, types.FLOAT64})  # narrowed, where JAX is not told to keep them


def to_jax(batch: TensorListCPU) -> jax.Array:
    """The batch as an array over the same memory, where JAX can have it so; else a copy, counted: elements of 64 bits are
    narrowed unless JAX is set to keep them. It is JAX's to keep; nobody else writes to it."""
    tensor = batch.as_tensor()
    if tensor.nbytes and tensor.data_ptr() % _ALIGNMENT == 0 and tensor.dtype not in _WIDE:
        return jax.dlpack.from_dlpack(tensor)
    return interop.to(tensor, "jax")


def _to_jax(batch: TensorListCPU, _: None) -> jax.Array:
    return to_jax(batch)


def _device_put(shard: jax.Array, device: Any) -> jax.Array:
    """On another device of the host that is a copy, counted; on its own one none."""
    if device.platform == "cpu" and device not in shard.devices():
        _core.count_copied(shard.nbytes)
    return jax.device_put(shard, device)


def _probe(sharding: Sharding) -> tuple[int, ...]:
    """A shape that any way to divide it divides evenly."""
    ndim = max(1, len(sharding.spec)) if isinstance(sharding, NamedSharding) else getattr(sharding, "ndim", 1)
    return (len(sharding.device_set),) * ndim


def shares_shards(sharding: Sharding) -> bool:
    """Whether processes have a shard in common, which each of them then reads for itself."""
    processes: dict[int, set[int]] = {}
    for device, places in sharding.devices_indices_map(_probe(sharding)).items():
        processes.setdefault(places[0].start or 0, set()).add(int(device.process_index))
    return any(len(those) > 1 for those in processes.values())


def shards_of(sharding: Sharding) -> tuple[dict[int, list[Any]], int]:
    """The devices of this process that get each shard of the batch, and the number of shards over all processes. Where
    axes of a mesh replicate, several devices get one shard. The shards are in the order of their first devices."""
    probe = _probe(sharding)
    count = probe[0]
    extents = sharding.shard_shape(probe)
    for axis, extent in enumerate(extents[1:], 1):
        if extent != count:
            raise ValueError(f"`sharding` divides axis {axis}; batches are divided along axis 0, that of the samples")
    found: dict[int, list[Any]] = {}
    places = sharding.addressable_devices_indices_map(probe)
    for device in sorted(places, key=lambda each: int(each.id)):
        found.setdefault((places[device][0].start or 0) // extents[0], []).append(device)
    return found, count // extents[0]


class GenericIterator(DictIterator[dict[str, jax.Array]]):
    """Gives a dictionary of arrays: output name to :class:`jax.Array`.

    :param sharding: how the arrays of several pipelines become one: one for each shard that this process has, in the
        order of the shards' first devices. A shard is put on every device that has it; where several processes have it,
        each reads it, so their pipelines need the same `seed`.
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
        shards, _ = shards_of(sharding)
        if len(shards) != len(self._pipes):
            local = len(sharding.addressable_devices)
            raise ValueError(
                f"`sharding` has {len(shards)} shards on {local} devices of this process for {len(self._pipes)} pipelines"
            )
        if shares_shards(sharding) and not all(pipe._seed_is_given for pipe in self._pipes):
            raise ValueError(
                "`sharding` gives a shard to several processes, each of which reads it for itself: give the pipelines a "
                "`seed`, the same in all of them, so that they read the same"
            )

    def _taken(self) -> dict[str, jax.Array]:
        outputs, _ = self._advance()
        return {
            name: self._array([self._converted(name, _to_jax, batches[place], None) for batches in outputs])
            for place, name in enumerate(self.output_map)
        }

    def _array(self, shards: list[jax.Array]) -> jax.Array:
        if any(shard.shape != shards[0].shape for shard in shards):
            raise ValueError(f"the shards of an output differ in shape: {[shard.shape for shard in shards]}")
        if self._sharding is not None:
            return self._sharded(self._sharding, shards)
        if not self._stacks:
            return shards[0]
        _core.count_copied(sum(shard.nbytes for shard in shards))
        if self._devices is None:
            return jnp.stack(shards)
        mesh = Mesh(np.array(self._devices), ("device",))
        parts = [_device_put(shard[None], device) for shard, device in zip(shards, self._devices)]
        shape = (len(parts), *shards[0].shape)
        return jax.make_array_from_single_device_arrays(shape, NamedSharding(mesh, PartitionSpec("device")), parts)

    @staticmethod
    def _sharded(sharding: Sharding, shards: list[jax.Array]) -> jax.Array:
        devices_of, count = shards_of(sharding)
        parts = [_device_put(shard, device) for shard, devices in zip(shards, devices_of.values()) for device in devices]
        shape = (count * shards[0].shape[0], *shards[0].shape[1:])
        return jax.make_array_from_single_device_arrays(shape, sharding, parts)


DALIGenericIterator = GenericIterator


def _pipelines(
    function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], checkpoints: Sequence[Any] | None,
    shards: Sequence[int] | None, shard_count: int,
) -> list[Pipeline]:
    """One pipeline, or one for each of these shards, which is told its number; all shards share a batch."""
    make = pipeline_def(function)
    named = {"num_threads": _THREADS, **named}
    if shards is None:
        return [make(*arguments, checkpoint=checkpoints[0] if checkpoints else None, **named)]
    if checkpoints and len(checkpoints) != len(shards):
        raise RuntimeError(f"{len(checkpoints)} checkpoints were given for {len(shards)} devices")
    if "batch_size" not in named:
        raise TypeError("an iterator over several devices needs `batch_size`: that of all of them together")
    named["batch_size"] = named["batch_size"] // shard_count
    return [
        make(
            *arguments, **named, shard_id=shard, num_shards=shard_count,
            checkpoint=checkpoints[place] if checkpoints else None,
        )
        for place, shard in enumerate(shards)
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
            shards: Sequence[int] | None = None
            count = 1
            if sharding is not None:
                of_devices, count = shards_of(sharding)
                shards = list(of_devices)
            elif devices is not None:
                shards, count = range(len(devices)), len(devices)
            pipelines = _pipelines(write, arguments, named, checkpoints, shards, count)
            made = iterator(pipelines, **settings, sharding=sharding)
            if devices is not None:
                made._devices = list(devices)
                made._stacks = True
            return made

        return make

    return decorate if function is None else decorate(function)


@overload
def data_iterator(
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
) -> IteratorFunction[P, GenericIterator]: ...


@overload
def data_iterator(
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
) -> Callable[[Callable[P, Any]], IteratorFunction[P, GenericIterator]]: ...


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

    :param sharding: a pipeline for each of its shards that this process has, told by `shard_id` and `num_shards` which
        part it reads; `batch_size` is that of all together. Where axes of a mesh replicate, a shard is read once and put
        on all of its devices.
    :param devices: the same for devices of this process, for ``jax.pmap``: `batch_size` is that of these together.
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
