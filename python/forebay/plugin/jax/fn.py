"""Functions on JAX arrays as operators."""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

import jax  # type: ignore[import-not-found, unused-ignore]
import numpy as np
from jax.sharding import NamedSharding, Sharding  # type: ignore[import-not-found, unused-ignore]

from ...graph.python_function import python_function

__all__ = ["jax_function"]


def _global(array: jax.Array, sharding: Sharding) -> jax.Array:
    count = sharding.mesh.size if isinstance(sharding, NamedSharding) else len(sharding.device_set)
    shape = (count * array.shape[0], *array.shape[1:])
    return jax.make_array_from_single_device_arrays(shape, sharding, [array])


def _local(array: jax.Array) -> jax.Array:
    shards = [shard.data for shard in array.addressable_shards]
    if len(shards) != 1:
        raise ValueError(f"jax_function: the function gave an array of {len(shards)} shards in this process; one is taken")
    return shards[0]


def _check_sharding(sharding: Any) -> None:
    if not isinstance(sharding, Sharding):
        raise TypeError(f"jax_function: `sharding` must be a jax.sharding.Sharding, not {type(sharding).__name__}")
    if jax.local_device_count() != 1:
        raise NotImplementedError(
            f"jax_function: `sharding` is over processes of one device; this one has {jax.local_device_count()}"
        )


class _Batches:
    """The function on batches: lists of samples in and out, arrays in between."""

    def __init__(self, function: Callable[..., Any], sharding: Sharding | None, num_outputs: int) -> None:
        self._function = function
        self._sharding = sharding
        self._num_outputs = num_outputs

    def _array(self, samples: Sequence[np.ndarray]) -> jax.Array:
        if any(sample.shape != samples[0].shape for sample in samples):
            shapes = sorted({sample.shape for sample in samples})
            raise ValueError(f"jax_function: the samples of a batch must have one shape; they have {shapes}")
        array = jax.numpy.asarray(np.stack(samples))
        return array if self._sharding is None else _global(array, self._sharding)

    def __call__(self, *inputs: Sequence[np.ndarray]) -> Any:
        count = len(inputs[0])
        results = self._function(*(self._array(samples) for samples in inputs))
        if self._num_outputs == 0:
            return ()
        row = results if isinstance(results, (tuple, list)) else (results,)
        batches = [np.asarray(array if self._sharding is None else _local(array)) for array in row]
        for batch in batches:
            if batch.ndim == 0 or len(batch) != count:
                raise ValueError(f"jax_function: the function gave {batch.shape} for a batch of {count} samples")
        return tuple(list(batch) for batch in batches)


def jax_function(
    function: Callable[..., Any] | None = None,
    num_outputs: int = 1,
    output_layouts: str | Sequence[str] | None = None,
    sharding: Sharding | None = None,
    device: str | None = None,
    preserve: bool = True,
) -> Any:
    """Turns a function of :class:`jax.Array` into one of DataNodes. The arrays are batches, samples along the first
    axis, all of one shape; the function gives as many arrays as `num_outputs`. With ``jax.jit`` it is compiled.

    :param sharding: the arrays are those of all processes, each with one device.
    :param device: "cpu".
    :param preserve: the function is called also where nothing uses its outputs.
    """
    if sharding is not None:
        _check_sharding(sharding)

    def decorate(inner: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(inner)
        def operator(*inputs: Any) -> Any:
            if not inputs:
                raise TypeError("jax_function: the function needs at least one input")
            return python_function(
                *inputs, function=_Batches(inner, sharding, num_outputs), num_outputs=num_outputs, batch_processing=True,
                output_layouts=output_layouts, device=device or "cpu", preserve=preserve,
            )

        return operator

    return decorate if function is None else decorate(function)
