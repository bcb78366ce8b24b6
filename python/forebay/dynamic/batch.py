"""Batches of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import descriptions
from ..errors import InvalidError
from ..nd import NDArray
from ..tensors import TensorCPU, TensorListCPU, check_is_batch, to_batch
from . import conversion
from .deferred import Future, Held, future_of
from .device import DeviceLike, check_cpu
from .dtypes import DType, DTypeLike, dtype as dtype_of
from .subscripts import subscript
from .tensor import Tensor, as_tensor
from .value import Value, apply, wrap

__all__ = ["Batch", "as_batch", "batch"]


class Batch(Value, is_batch=True):
    """Tensors of one type and number of dimensions, which may differ in shape: a list of tensors, or what an operator
    gives.
    :func:`batch` and :func:`as_batch` make them.

    :param tensors: a list of what :class:`Tensor` takes; or one array, whose first axis is the samples; or another
        batch.
    :param dtype: of the elements; needed of an empty list.
    :param device: the CPU.
    :param layout: names of the axes of a sample.
    :param copy: False: the memory of `tensors` is used, where that can be.
    """

    def __init__(
        self,
        tensors: Any,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        layout: str | None = None,
        copy: bool = False,
    ) -> None:
        check_cpu(device)
        self._meta = None
        self._held = _held(tensors, None if dtype is None else dtype_of(dtype), layout or "", copy)
        if self._held.size == 0:
            self._meta = ([], dtype_of(np.asarray(tensors).dtype if dtype is None else dtype), layout or "")

    @staticmethod
    def broadcast(sample: Any, batch_size: int, device: DeviceLike = None, dtype: DTypeLike | None = None) -> Batch:
        """`batch_size` times the same tensor; its memory is there once."""
        if isinstance(sample, Batch):
            raise InvalidError("a batch cannot be the sample of a batch")
        one = future_of(as_tensor(sample, dtype, device)._held)
        return wrap(Future.gathered([(one, 0)] * batch_size), True)  # type: ignore[no-any-return]

    @property
    def batch_size(self) -> int:
        """Number of samples; known at once."""
        return self._held.size

    @property
    def shape(self) -> list[tuple[int, ...]]:
        """The shape of each sample."""
        return self._look()[0]

    @property
    def ndim(self) -> int:
        if self.batch_size == 0:
            raise ValueError("an empty batch has no number of dimensions")
        return super().ndim

    @property
    def tensors(self) -> _Tensors:
        """The samples, as a list; tensors are made when they are asked for."""
        return _Tensors(self, range(self.batch_size))

    @property
    def slice(self) -> _SampleWise:
        """``batch.slice[a:b]`` cuts each sample; `a` and `b` may be batches, with a number for each sample."""
        return _SampleWise(self)

    def select(self, sample_range: Any) -> Any:
        """The tensor of a number; the batch of a list of numbers, a slice, or '...', which is all."""
        if sample_range is Ellipsis:
            return self
        if isinstance(sample_range, (slice, list)):
            return self.tensors[sample_range].as_batch()
        return self.tensors[sample_range]

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensors)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._content().as_tensor().as_array(), dtype, copy=bool(copy) or None)

    def torch(self, copy: bool | None = None, pad: bool = False) -> Any:
        """As one PyTorch tensor, samples first; ValueError where their shapes differ.

        :param copy: True: always a copy; False: ValueError where there must be one.
        :param pad: samples that differ in shape are padded with zeros.
        """
        if copy is False and not self._content().is_contiguous():
            raise InvalidError("This batch cannot be converted to a tensor without a copy.")
        return as_tensor(self, pad=pad).torch(bool(copy))

    def __repr__(self) -> str:
        return descriptions.of_batch("Batch", self._content(), self.dtype, self.layout)


class _Tensors(Sequence[Any]):
    """Some samples of a batch."""

    def __init__(self, batch: Batch, places: Sequence[int]) -> None:
        self._batch = batch
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, selection: Any) -> Any:
        if isinstance(selection, slice):
            return _Tensors(self._batch, self._places[selection])
        if isinstance(selection, list):
            return _Tensors(self._batch, [self._places[each] for each in selection])
        return wrap(Future.gathered([(self._batch._future, self._places[selection])]), False)

    def select(self, selection: Any) -> Any:
        """The same as a subscript."""
        return self[selection]

    def tolist(self) -> list[Tensor]:
        return list(self)

    def as_batch(self, copy: bool = False) -> Batch:
        """These samples as a batch."""
        source = self._batch._future
        made: Batch = wrap(Future.gathered([(source, place) for place in self._places]), True)
        return batch(made) if copy else made


class _SampleWise:
    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def __getitem__(self, index: Any) -> Any:
        return subscript(self._batch, index)


def _adapted(value: Any, dtype: DType | None, layout: str, copy: bool) -> Held:
    """A batch with that type and layout."""
    if dtype is not None and value.dtype != dtype:
        value = apply("cast", [value], {"dtype": dtype.number})
    elif copy:
        value = apply("copy", [value], {})
    if layout and value.layout != layout:
        value = apply("reshape", [value], {"layout": layout})
    return value._held  # type: ignore[no-any-return]


def _held_of_array(array: Any, dtype: DType | None, layout: str, copy: bool) -> Held:
    """An array whose first axis is the samples."""
    if isinstance(array, NDArray):
        return _adapted(wrap(Future.of_array(array, layout, True), True), dtype, "", copy)
    if isinstance(array, TensorCPU):
        layout = layout or array.layout()[1:]
    content = TensorListCPU(to_batch(array, layout))
    if len(content) == 0:
        return Future.of(content, False)
    return _adapted(wrap(Future.of(content, True), True), dtype, "", copy)


def _held_of_tensor(tensor: Tensor, dtype: DType | None, layout: str, copy: bool) -> Held:
    """A tensor whose first axis is the samples."""
    if tensor.ndim == 0:
        raise InvalidError("Cannot create a batch from a scalar")
    future = tensor._future
    whole = future.get()[0]
    content = TensorListCPU(to_batch(whole, layout or whole.layout()[1:]))
    return _adapted(wrap(Future.of(content, future.is_borrowed), True), dtype, "", copy)


def _held_of_list(tensors: list[Any], dtype: DType | None, layout: str, copy: bool) -> Held:
    if not tensors:
        if dtype is None:
            raise InvalidError("Element type must be specified if the list is empty")
        return Future.of(TensorListCPU([]), False)
    for place, each in enumerate(tensors):
        if each is None:
            raise TypeError(f"Tensors must be array-like types or numbers. Got `None` at index {place}")
        if isinstance(each, Batch):
            raise InvalidError("a list of batches is no batch: join their tensors")
    # All are of the first one's type. Nothing waits for tensors that are not there yet: who uses them compares.
    adapts = dtype is None and not all(isinstance(each, Tensor) for each in tensors)
    made: list[Tensor] = []
    for each in tensors:
        made.append(Tensor(each, dtype, None, layout or None, copy))
        if adapts:
            dtype = made[0].dtype
    return Future.gathered([(future_of(each._held), 0) for each in made])


def _held(tensors: Any, dtype: DType | None, layout: str, copy: bool) -> Held:
    """The content of a new batch."""
    if isinstance(tensors, TensorListCPU):
        tensors = wrap(Future.of(tensors, True), True)
    if isinstance(tensors, Batch):
        return _adapted(tensors, dtype, layout, copy)
    if isinstance(tensors, Tensor):
        return _held_of_tensor(tensors, dtype, layout, copy)
    if isinstance(tensors, TensorCPU) or conversion.is_array(tensors):
        return _held_of_array(tensors, dtype, layout, copy)
    check_is_batch(tensors)
    if not hasattr(tensors, "__iter__"):
        raise TypeError(f"a batch is made of a list of tensors or of an array, not of {tensors!r}")
    return _held_of_list(list(tensors), dtype, layout, copy)


def batch(tensors: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, layout: str | None = None) -> Batch:
    """A batch with a copy of `tensors`, which is what :class:`Batch` takes."""
    return Batch(tensors, dtype, device, layout, True)


def as_batch(
    tensors: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, layout: str | None = None
) -> Batch:
    """A batch over the memory of `tensors`, which is copied only where it has to be. Calls on memory that you may
    change have run when they return."""
    if isinstance(tensors, Batch) and dtype is None and layout is None:
        check_cpu(device)
        return tensors
    return Batch(tensors, dtype, device, layout, False)
