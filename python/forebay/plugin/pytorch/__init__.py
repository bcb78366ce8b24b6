"""Batches as PyTorch tensors, without a copy."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from ... import _core
from ...pipeline import Pipeline
from ...tensors import TensorListCPU
from ..base_iterator import DictIterator, LastBatchPolicy, kept_array, squeezed_shape

try:
    import torch  # type: ignore[import-not-found, unused-ignore]
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("forebay.plugin.pytorch needs PyTorch; install the package 'torch'", name=error.name) from error

from . import experimental, fn, loader_evaluator
from .iterable_dataset import IterableDataset
from .torch_function import TorchPythonFunction
from .torch_utils import feed_ndarray, to_torch_type

__all__ = [
    "ClassificationIterator",
    "DALIClassificationIterator",
    "DALIGenericIterator",
    "DALIRaggedIterator",
    "GenericIterator",
    "IterableDataset",
    "LastBatchPolicy",
    "RaggedIterator",
    "TorchPythonFunction",
    "experimental",
    "feed_ndarray",
    "fn",
    "loader_evaluator",
    "to_torch_type",
]


def _dense(batch: TensorListCPU, selection: np.ndarray | None) -> torch.Tensor:
    """The batch as one tensor over the same memory."""
    return torch.from_numpy(kept_array(batch, selection))


def _labels(batch: TensorListCPU, selection: np.ndarray | None) -> torch.Tensor:
    """As loss functions take them: a number a sample, int64 where they are integers."""
    labels = _dense(batch, selection)
    squeezed = labels.reshape(squeezed_shape(labels.shape))
    if labels.is_floating_point() or labels.dtype in (torch.bool, torch.int64):
        return squeezed
    widened = squeezed.long()
    _core.count_copied(widened.nbytes)
    return widened


def _samples(batch: TensorListCPU, selection: np.ndarray | None) -> list[torch.Tensor]:
    places = range(len(batch)) if selection is None else selection
    return [torch.from_numpy(batch.at(int(place))) for place in places]


def _sparse(batch: TensorListCPU, selection: np.ndarray | None) -> torch.Tensor:
    """The samples one after the other as a sparse tensor: (sample, place in it...) to value."""
    samples = _samples(batch, selection)
    extents = np.max([sample.shape for sample in samples], axis=0) if samples else []
    indices = []
    for number, sample in enumerate(samples):
        places = torch.cartesian_prod(*[torch.arange(extent) for extent in sample.shape]).reshape(-1, sample.dim())
        indices.append(torch.cat([torch.full((len(places), 1), number), places], dim=1))
    values = torch.cat([sample.reshape(-1) for sample in samples])
    shape = (len(samples), *(int(extent) for extent in extents))
    return torch.sparse_coo_tensor(torch.cat(indices).T, values, shape, check_invariants=True)


class GenericIterator(DictIterator[list[dict[str, torch.Tensor]]]):
    """Gives, for each pipeline, a dictionary of tensors. Arguments: those of :class:`BaseIterator`, after `output_map`,
    the names of the outputs; `dynamic_shape` is accepted: shapes may always change."""

    _for_ragged = "take them as a list: RaggedIterator with `output_types`"

    def _converters(self) -> list[Callable[..., Any]]:
        return [_dense] * len(self.output_map)


class ClassificationIterator(GenericIterator):
    """A :class:`GenericIterator` over pipelines with two outputs, "data" and "label".

    :param squeeze_labels: labels lose their axes of one element, but for the first, and integers become int64, as
        `torch.nn.functional.cross_entropy` takes them.

    The other arguments are the same."""

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


class RaggedIterator(DictIterator[list[dict[str, Any]]]):
    """As :class:`GenericIterator`, for samples of different shapes: each output is dense, a list of tensors, or sparse
    (COO), as `output_types` says. The arguments that follow are those that follow `reader_name` there."""

    DENSE_TAG = "dense"
    SPARSE_LIST_TAG = "sparse_list"
    SPARSE_COO_TAG = "sparse_coo"
    _for_ragged = "take them as a list: `output_types` with RaggedIterator.SPARSE_LIST_TAG in its place"

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        output_types: Sequence[str] | None = None,
        auto_reset: bool | str | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        types = list(output_types) if output_types is not None else [self.DENSE_TAG] * len(output_map)
        forms = {self.DENSE_TAG: _dense, self.SPARSE_LIST_TAG: _samples, self.SPARSE_COO_TAG: _sparse}
        if len(types) != len(output_map) or not set(types) <= set(forms):
            raise ValueError("output_types has one of DENSE_TAG, SPARSE_LIST_TAG, SPARSE_COO_TAG for each output")
        self._forms: list[Callable[..., Any]] = [forms[tag] for tag in types]
        super().__init__(
            pipelines, output_map, size, reader_name, auto_reset, fill_last_batch, dynamic_shape, last_batch_padded,
            last_batch_policy, prepare_first_batch,
        )

    def _converters(self) -> list[Callable[..., Any]]:
        return self._forms


DALIGenericIterator = GenericIterator
DALIClassificationIterator = ClassificationIterator
DALIRaggedIterator = RaggedIterator
