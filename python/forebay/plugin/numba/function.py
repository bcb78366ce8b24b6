"""numba_function: an operator written in the Python that Numba compiles."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numba  # type: ignore[import-not-found, unused-ignore]
import numpy as np
from numba import typed

from ... import types
from ...enum_arguments import element_type
from ...graph.python_function import python_function

__all__ = ["NumbaFunction", "numba_function"]

_MOST = 6


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


class _Compiled:
    """The compiled functions: makes outputs of the shapes that `setup_fn` says and has `run_fn` fill them. Compiled at
    the first batch, for the types that are given; runs without the GIL."""

    def __init__(
        self, run_fn: Callable[..., Any], setup_fn: Callable[..., Any] | None, out_types: Sequence[Any],
        in_types: Sequence[Any], outs_ndim: Sequence[int], ins_ndim: Sequence[int], batch_processing: bool,
    ) -> None:
        self._run = numba.njit(run_fn, nogil=True)
        self._setup = None if setup_fn is None else numba.njit(setup_fn)
        self._out_types = [types.to_numpy_type(each) for each in out_types]
        self._in_types = [np.dtype(types.to_numpy_type(each)) for each in in_types]
        self._outs_ndim = outs_ndim
        self._ins_ndim = ins_ndim
        self._batch = batch_processing

    def __reduce__(self) -> Any:
        raise TypeError("a function compiled by Numba cannot be pickled")

    def _check(self, batches: Sequence[Sequence[np.ndarray]]) -> None:
        for place, (batch, dtype, ndim) in enumerate(zip(batches, self._in_types, self._ins_ndim)):
            for sample in batch:
                if sample.dtype != dtype or sample.ndim != ndim:
                    raise TypeError(
                        f"numba_function: input {place} was promised as {dtype} of {ndim} dimensions and is "
                        f"{sample.dtype} of {sample.ndim}"
                    )

    def _shapes(self, batches: Sequence[Sequence[np.ndarray]]) -> list[list[tuple[int, ...]]]:
        """By output and sample."""
        given = [[sample.shape for sample in batch] for batch in batches]
        if self._setup is None:
            return given[: len(self._out_types)]
        count = len(batches[0])
        outs = tuple(np.zeros((count, ndim), np.int64) for ndim in self._outs_ndim)
        ins = tuple(np.array(shapes, np.int64).reshape(count, ndim) for shapes, ndim in zip(given, self._ins_ndim))
        self._setup(outs, ins)
        for shapes in outs:
            if (shapes < 0).any():
                raise ValueError(f"numba_function: `setup_fn` gave the shape {shapes.min(axis=0).tolist()}")
        return [[tuple(int(extent) for extent in shape) for shape in shapes] for shapes in outs]

    def __call__(self, *inputs: Any) -> Any:
        batches = inputs if self._batch else [[each] for each in inputs]
        self._check(batches)
        outputs = [
            [np.zeros(shape, dtype) for shape in shapes] for shapes, dtype in zip(self._shapes(batches), self._out_types)
        ]
        if not self._batch:
            row = tuple(samples[0] for samples in outputs)
            self._run(*row, *inputs)
            return row
        self._run(*(typed.List(samples) for samples in outputs), *(typed.List(batch) for batch in batches))
        return tuple(outputs)


def _check_promises(out_types: list[Any], in_types: list[Any], outs_ndim: list[int], ins_ndim: list[int]) -> None:
    for name, kinds, dims in (("in", in_types, ins_ndim), ("out", out_types, outs_ndim)):
        if len(kinds) != len(dims):
            raise ValueError(f"numba_function: {len(kinds)} `{name}_types` for {len(dims)} `{name}s_ndim`")
        if not 1 <= len(kinds) <= _MOST:
            raise ValueError(f"numba_function: there may be 1 to {_MOST} {name}puts, not {len(kinds)}")
    if types.FLOAT16 in [*out_types, *in_types]:
        raise TypeError("numba_function: Numba has no float16 on the CPU")


def numba_function(
    *inputs: Any,
    run_fn: Callable[..., Any],
    out_types: Any,
    in_types: Any,
    outs_ndim: Any,
    ins_ndim: Any,
    setup_fn: Callable[..., Any] | None = None,
    batch_processing: bool = False,
    device: str = "cpu",
    blocks: Any = None,
    threads_per_block: Any = None,
    name: str | None = None,
    preserve: bool = True,
    bytes_per_sample_hint: Any = None,
    seed: int | None = None,
) -> Any:
    """Calls a function that Numba compiles.

    :param run_fn: fills its first arguments, the outputs, from the others, the inputs: an array each, with
        `batch_processing` a list of arrays.
    :param out_types, in_types, outs_ndim, ins_ndim: element types and numbers of dimensions, one for each output and
        input.
    :param setup_fn: says the outputs' shapes: fills ``outs[output][sample]``, an array of extents, from
        ``ins[input][sample]``. Without it the outputs have the shapes of the inputs. Called for one sample at a time
        unless `batch_processing`.
    :param batch_processing: the functions get whole batches.

    `blocks` and `threads_per_block` are for GPUs.
    """
    out_types, in_types, outs_ndim, ins_ndim = map(_listed, (out_types, in_types, outs_ndim, ins_ndim))
    out_types = [element_type("numba_function: out_types", each) for each in out_types]
    in_types = [element_type("numba_function: in_types", each) for each in in_types]
    _check_promises(out_types, in_types, outs_ndim, ins_ndim)
    if len(inputs) != len(in_types):
        raise TypeError(f"numba_function: {len(inputs)} inputs were given for {len(in_types)} `in_types`")
    if setup_fn is None and outs_ndim != ins_ndim[: len(outs_ndim)]:
        raise ValueError("numba_function: without `setup_fn` outputs have the shapes of the inputs, and so their `ndim`")
    work = _Compiled(run_fn, setup_fn, out_types, in_types, outs_ndim, ins_ndim, batch_processing)
    return python_function(
        *inputs, function=work, num_outputs=len(out_types), batch_processing=batch_processing, device=device, name=name,
        preserve=preserve,
    )


class NumbaFunction:
    """:func:`numba_function` as an object."""

    def __init__(
        self,
        run_fn: Callable[..., Any],
        out_types: Any,
        in_types: Any,
        outs_ndim: Any,
        ins_ndim: Any,
        setup_fn: Callable[..., Any] | None = None,
        device: str = "cpu",
        batch_processing: bool = False,
        blocks: Any = None,
        threads_per_block: Any = None,
        *,
        name: str | None = None,
        preserve: bool = True,
        bytes_per_sample_hint: Any = None,
        seed: int | None = None,
    ) -> None:
        self.device = device
        self._arguments: dict[str, Any] = {
            "run_fn": run_fn, "out_types": out_types, "in_types": in_types, "outs_ndim": outs_ndim, "ins_ndim": ins_ndim,
            "setup_fn": setup_fn, "device": device, "batch_processing": batch_processing,
            "name": name, "preserve": preserve,
        }

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        return numba_function(*inputs, **{**self._arguments, **arguments})
