"""Tensors and batches in host memory, and how they are made from arrays."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _core, descriptions
from .errors import UnfitError, WrongTypeError
from ._core import TensorCPU, TensorListCPU

__all__ = [
    "TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU", "as_numpy", "check_is_batch", "is_one_sample", "to_batch",
    "to_tensor",
]

_DLPACK_CPU = 1


class TensorGPU:
    """A tensor in GPU memory, for scripts that ask whether something is one. None can be made."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}: tensors in GPU memory are not offered")


class TensorListGPU(TensorGPU):
    """A batch in GPU memory."""


def as_numpy(value: Any) -> np.ndarray:
    """A C-contiguous and aligned NumPy array over `value`'s memory, copied (and counted) only where it has to be. Takes
    NumPy arrays, tensors of other frameworks by DLPack, its capsules, array interfaces, buffers, bytes (as uint8), numbers and nested
    lists."""
    if isinstance(value, np.ndarray):
        array = value
    elif isinstance(value, (TensorCPU, TensorListCPU)):
        array = value.as_array()
    elif hasattr(value, "__dlpack_device__"):
        if int(value.__dlpack_device__()[0]) != _DLPACK_CPU:
            raise TypeError("a tensor in GPU memory cannot be fed to a CPU operator")
        array = np.from_dlpack(value)
    elif type(value).__name__ == "PyCapsule":
        array = TensorCPU(value).as_array()
    elif isinstance(value, bytes):
        array = np.frombuffer(value, np.uint8)
    elif isinstance(value, str):
        raise WrongTypeError(f"text cannot become a tensor: give its bytes, {value[:20]!r}.encode()")
    else:
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise WrongTypeError(f"{type(value).__name__} cannot become a tensor: its parts differ in shape") from error
    if array.dtype.kind not in "biuf":
        shown = f"an array of {array.dtype}" if array is value else type(value).__name__
        raise WrongTypeError(f"{shown} cannot become a tensor: it holds no numbers of one type")
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.array(array, order="C")
        _core.count_copied(array.nbytes)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
        _core.count_copied(array.nbytes)
    return array


def _references_of_local() -> int:
    array = np.empty(0)
    return sys.getrefcount(array)


_REFERENCES_OF_LOCAL = _references_of_local()  # to an array that nobody else holds: `__array__` may give what its object keeps


def to_tensor(value: Any, layout: str = "", copy: bool = False) -> TensorCPU:
    """`value` as a tensor. Without `copy` it shares the memory wherever it can; read-only memory stays so. A tensor
    keeps its layout where none is given."""
    if isinstance(value, TensorCPU):
        tensor: TensorCPU = value
        layout = layout or tensor.layout()
        if not copy:
            return tensor if tensor.layout() == layout else _core.with_layout(tensor, layout)
    array = as_numpy(value)
    fresh = array is not value and array.base is None and sys.getrefcount(array) <= _REFERENCES_OF_LOCAL
    return TensorCPU(array, layout, copy and not fresh)


def is_one_sample(value: Any) -> bool:
    """Whether it is bytes or text: a sequence in Python, and one sample here."""
    if isinstance(value, memoryview):
        return value.ndim == 1 and value.itemsize == 1
    return isinstance(value, (bytes, bytearray, str))


def check_is_batch(value: Any) -> None:
    """WrongTypeError for bytes, of which each would be a sample."""
    if is_one_sample(value):
        raise WrongTypeError(f"{type(value).__name__} is one sample, not a batch: give a list with one for each sample")


def to_batch(value: Any, layout: str = "", copy: bool = False) -> list[TensorCPU]:
    """The samples of a batch: of a list of arrays, or of one array along its first axis."""
    if isinstance(value, TensorListCPU):
        return [to_tensor(sample, layout, copy) for sample in value]
    if isinstance(value, (list, tuple)):
        return [to_tensor(sample, layout, copy) for sample in value]
    check_is_batch(value)
    array = as_numpy(value)
    if array.ndim == 0:
        raise UnfitError("a batch needs at least one axis: the samples")
    if array.ndim > _core.MAX_RANK:
        return [to_tensor(sample, layout, copy) for sample in array]
    return _core.samples_of(TensorCPU(array, "", copy), layout)


def describe_tensor(self: TensorCPU) -> str:
    """What repr() of a tensor says."""
    return descriptions.of_tensor("TensorCPU", self.as_array(), self.dtype, self.layout())


def describe_batch(self: TensorListCPU) -> str:
    """What repr() of a batch says."""
    return descriptions.of_batch("TensorListCPU", self, self.dtype, self.layout())
