"""Single tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import descriptions
from ..framework_modules import import_framework
from ..tensors import TensorCPU, TensorListCPU, to_tensor
from . import conversion
from .deferred import Future, Held
from .device import DeviceLike, check_cpu
from .dtypes import DType, DTypeLike, dtype as dtype_of, set_maker
from .subscripts import subscript
from .value import Value, apply, wrap

__all__ = ["Tensor", "as_tensor", "tensor"]


class Tensor(Value, is_batch=False):
    """One tensor: fed, a sample of a batch, or what an operator gives. :func:`tensor` and :func:`as_tensor` make them.

    :param data: an array of NumPy, `forebay.nd` or another library, another tensor, a number or a nested list.
    :param dtype: of the elements; `data` is cast where it has another.
    :param device: the CPU.
    :param layout: names of the axes; those of `data` where none are given.
    :param copy: False: the memory of `data` is used, where that can be.
    """

    def __init__(
        self,
        data: Any,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        layout: str | None = None,
        copy: bool = False,
    ) -> None:
        check_cpu(device)
        self._meta = None
        self._held = _held(data, None if dtype is None else dtype_of(dtype), layout or "", copy)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the axes."""
        return self._look()[0][0]

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.bytes

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    def item(self) -> Any:
        """The only element as a Python number; ValueError where there are others."""
        if self.size != 1:
            raise ValueError(f"Tensor has {self.size} elements, expected 1")
        return self._array().item()

    def _tensor(self) -> TensorCPU:
        return self._content()[0]

    def _array(self) -> np.ndarray:
        return self._tensor().as_array()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self._array()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._tensor().__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor().__dlpack_device__()

    def torch(self, copy: bool = False) -> Any:
        """As a PyTorch tensor, over the same memory unless `copy`. Read-only memory is copied: PyTorch knows none."""
        tensor = self._tensor()
        if not tensor.as_array().flags.writeable:
            tensor, copy = to_tensor(tensor, copy=True), False
        try:
            made = import_framework("torch").from_dlpack(tensor)
        except ImportError:
            raise RuntimeError("torch() needs PyTorch, which is not installed") from None
        return made.clone() if copy else made

    def __getitem__(self, index: Any) -> Any:
        return subscript(self, index)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("a tensor without dimensions has no length")
        return self.shape[0]

    def __iter__(self) -> Any:
        return (self[index] for index in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self._number("truth value"))

    def __int__(self) -> int:
        return int(self._number("integer"))

    def __float__(self) -> float:
        return float(self._number("float"))

    def __index__(self) -> int:
        value = self._number("index")
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"a tensor of {self.dtype} is no index")
        return value

    def _number(self, what: str) -> Any:
        if self.size != 1:
            raise ValueError(f"a tensor of {self.size} elements has no {what}")
        return self.item()

    def __repr__(self) -> str:
        return descriptions.of_tensor("Tensor", self._array(), self.dtype, self.layout)


def _held(data: Any, dtype: DType | None, layout: str, copy: bool) -> Held:
    """The content of a new tensor."""
    if isinstance(data, Value):
        if data._is_batch:
            raise TypeError("a batch becomes a tensor by ndd.as_tensor()")
        value: Any = data
        if dtype is not None and value.dtype != dtype:
            value = apply("cast", [value], {"dtype": dtype.number})
        elif copy:
            value = apply("copy", [value], {})
        if layout and layout != value.layout:
            value = apply("reshape", [value], {"layout": layout})
        return value._held  # type: ignore[no-any-return]
    if not conversion.is_array(data):
        return conversion.future_of_python(data, dtype, layout)
    made = wrap(conversion.future_of_array(data, layout, copy and dtype is None), False)
    return made._held if dtype is None else _held(made, dtype, "", copy)


def _of_batch(batch: Any, pad: bool) -> Tensor:
    """The samples along a first axis: "N", where they have a layout."""
    value = apply("pad", [batch], {}) if pad else batch
    future = value._future
    return wrap(Future.of(future.get().as_tensor(), future.is_borrowed), False)  # type: ignore[no-any-return]


def _make(data: Any, dtype: DTypeLike | None, device: DeviceLike, layout: str | None, pad: bool, copy: bool) -> Tensor:
    check_cpu(device)
    if isinstance(data, TensorListCPU) or (isinstance(data, Value) and data._is_batch):
        batch = data if isinstance(data, Value) else wrap(Future.of(data, True), True)
        data = _of_batch(batch, pad)
    return Tensor(data, dtype, device, layout, copy)


def tensor(
    data: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, layout: str | None = None, pad: bool = False
) -> Tensor:
    """A tensor with a copy of `data`.

    :param data: as :class:`Tensor` takes it, or a batch, whose samples go along a first axis.
    :param pad: samples of a batch that differ in shape are padded with zeros; else that is an error.
    """
    return _make(data, dtype, device, layout, pad, True)


def as_tensor(
    data: Any, dtype: DTypeLike | None = None, device: DeviceLike = None, layout: str | None = None, pad: bool = False
) -> Tensor:
    """A tensor over the memory of `data`, which is copied only where it has to be. Calls on memory that you may change
    have run when they return."""
    return _make(data, dtype, device, layout, pad, False)


set_maker(tensor)
