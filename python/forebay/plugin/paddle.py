"""Batches as tensors of PaddlePaddle, without a copy."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from .. import _core, types
from ..pipeline import Pipeline
from ..tensors import TensorCPU, TensorListCPU
from .base_iterator import DictIterator, LastBatchPolicy, kept_array, squeezed_shape

try:
    import paddle  # type: ignore[import-not-found, unused-ignore]
    import paddle.utils.dlpack  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("forebay.plugin.paddle needs PaddlePaddle; install the package 'paddlepaddle'", name=error.name) from error

__all__ = [
    "ClassificationIterator",
    "DALIClassificationIterator",
    "DALIGenericIterator",
    "GenericIterator",
    "LastBatchPolicy",
    "feed_ndarray",
    "recursive_length",
    "to_paddle_type",
]

_TYPES = {
    types.BOOL: paddle.bool,
    types.UINT8: paddle.uint8,
    types.INT8: paddle.int8,
    types.INT16: paddle.int16,
    types.INT32: paddle.int32,
    types.INT64: paddle.int64,
    types.FLOAT16: paddle.float16,
    types.FLOAT: paddle.float32,
    types.FLOAT64: paddle.float64,
}


def to_paddle_type(tensor: TensorCPU | TensorListCPU) -> Any:
    """The element type as Paddle's; TypeError where it has none."""
    try:
        return _TYPES[tensor.dtype]
    except KeyError:
        raise TypeError(f"Paddle has no tensors of {tensor.dtype}; cast the output, by fn.cast") from None


def _dense(batch: TensorListCPU, selection: np.ndarray | None) -> Any:
    """The batch as one tensor over the same memory."""
    to_paddle_type(batch)
    if selection is None:
        return paddle.utils.dlpack.from_dlpack(batch.as_tensor().__dlpack__())
    array = np.ascontiguousarray(kept_array(batch, selection))
    return paddle.utils.dlpack.from_dlpack(TensorCPU(array).__dlpack__())


def _labels(batch: TensorListCPU, selection: np.ndarray | None) -> Any:
    """As loss functions take them: a number a sample, int64 where they are integers."""
    array = kept_array(batch, selection)
    array = array.reshape(squeezed_shape(array.shape))
    labels = paddle.to_tensor(array.astype(np.int64) if array.dtype.kind in "iu" else array)
    _core.count_copied(array.size * labels.element_size())
    return labels


def recursive_length(tensor: Any, lod_level: int) -> list[list[int]]:
    """The extents of the first `lod_level` axes, by axis: of a batch those of each of its samples."""
    lengths: list[list[int]] = [[] for _ in range(lod_level)]

    def note(shape: Sequence[int], level: int) -> None:
        if level < lod_level:
            lengths[level].append(int(shape[0]))
            for _ in range(int(shape[0])):
                note(shape[1:], level + 1)

    if not isinstance(tensor, TensorListCPU):
        shape = tensor.shape() if callable(getattr(tensor, "shape", None)) else getattr(tensor, "shape", tensor)
        note(shape, 0)
    elif lod_level > 0:
        lengths[0].append(len(tensor))
        for sample in tensor:
            note(sample.shape(), 1)
    return lengths


class GenericIterator(DictIterator[list[dict[str, paddle.Tensor]]]):
    """Gives, for each pipeline, a dictionary of tensors. Arguments: those of
    :class:`forebay.plugin.base_iterator.BaseIterator`, after `output_map`, the names of the outputs. Samples of an
    output have one shape: Paddle's levels of detail are not given; pad them, by `fn.pad`."""

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str | tuple[str, int]],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: bool | str | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        names = []
        for entry in output_map:
            name, level = (entry, 0) if isinstance(entry, str) else entry
            if level:
                raise NotImplementedError(f"the output '{name}' is asked for with levels of detail; pad it, by fn.pad")
            names.append(name)
        super().__init__(
            pipelines, names, size, reader_name, auto_reset, fill_last_batch, dynamic_shape, last_batch_padded,
            last_batch_policy, prepare_first_batch,
        )

    def _converters(self) -> list[Callable[..., Any]]:
        return [_dense] * len(self.output_map)


class ClassificationIterator(GenericIterator):
    """A :class:`GenericIterator` over pipelines with two outputs, "data" and "label".

    :param squeeze_labels: labels lose their axes of one element, but for the first, and integers become int64, as
        `paddle.nn.functional.cross_entropy` takes them."""

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: bool | str | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        *,
        squeeze_labels: bool = False,
    ) -> None:
        self._label = _labels if squeeze_labels else _dense
        super().__init__(
            pipelines, ["data", "label"], size, reader_name, auto_reset, fill_last_batch, dynamic_shape,
            last_batch_padded, last_batch_policy, prepare_first_batch,
        )

    def _converters(self) -> list[Callable[..., Any]]:
        return [_dense, self._label]


def feed_ndarray(dali_tensor: TensorCPU | TensorListCPU, ptr: int, cuda_stream: Any = None) -> int:
    """Copies a tensor, or a batch of samples of one shape, to the address `ptr`, where there is room for it."""
    dali_tensor.copy_to_external(int(ptr))
    return ptr


DALIGenericIterator = GenericIterator
DALIClassificationIterator = ClassificationIterator
