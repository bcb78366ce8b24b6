"""Iterators of MXNet scripts: they give :class:`forebay.nd.NDArray`, without a copy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Sequence

import numpy as np

from ..nd import NDArray
from ..pipeline import Pipeline
from ..tensors import TensorCPU, TensorListCPU
from .base_iterator import BaseIterator, LastBatchPolicy, about_output, kept_array, squeezed_shape

__all__ = [
    "DALIClassificationIterator",
    "DALIGenericIterator",
    "DALIGluonIterator",
    "DataBatch",
    "DataDesc",
    "LastBatchPolicy",
    "feed_ndarray",
]


@dataclass(frozen=True)
class DataDesc:
    """What an output is."""

    name: str
    shape: tuple[int, ...]
    dtype: Any
    layout: str = ""


@dataclass
class DataBatch:
    """A batch of one pipeline. `pad` samples at its end are there to fill it."""

    data: list[NDArray]
    label: list[NDArray]
    pad: int = 0
    index: Any = None
    provide_data: list[DataDesc] = field(default_factory=list)
    provide_label: list[DataDesc] = field(default_factory=list)


def _array(batch: TensorListCPU, selection: np.ndarray | None) -> NDArray:
    if selection is None:
        return NDArray(batch.as_tensor(), copy=False)
    return NDArray(TensorCPU(np.ascontiguousarray(kept_array(batch, selection))), copy=False)


class DALIGenericIterator(BaseIterator[list[DataBatch]]):
    """Gives, for each pipeline, a :class:`DataBatch`.

    :param output_map: (name, DATA_TAG or LABEL_TAG) for each output.
    :param squeeze_labels: labels lose their axes of one element, but for the first. They keep their type, as with DALI:
        MXNet's losses take any.
    :param data_layout: what the descriptions of the data say.

    The other arguments are those of :class:`forebay.plugin.base_iterator.BaseIterator`. `dynamic_shape` is accepted:
    shapes may always change.
    """

    DATA_TAG = "data"
    LABEL_TAG = "label"

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[tuple[str, str]],
        size: int = -1,
        reader_name: str | None = None,
        data_layout: str = "NCHW",
        fill_last_batch: bool | None = None,
        auto_reset: bool | str | None = False,
        squeeze_labels: bool = True,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        self.output_map = [(str(name), tag) for name, tag in output_map]
        names = [name for name, _ in self.output_map]
        if len(set(names)) != len(names):
            raise ValueError(f"output_map={names} names an output twice")
        for name, tag in self.output_map:
            if tag not in (self.DATA_TAG, self.LABEL_TAG):
                raise ValueError(f"the output '{name}' is tagged {tag!r}; tags are DATA_TAG and LABEL_TAG")
        self._data_layout = data_layout
        self._squeezes = squeeze_labels
        self._described: tuple[list[DataDesc], list[DataDesc]] | None = None  # data and labels, as of the first batch
        super().__init__(
            pipelines, size, reader_name, auto_reset, fill_last_batch, last_batch_padded, last_batch_policy,
            prepare_first_batch,
        )
        for pipe in self._pipes:
            if pipe.num_outputs != len(names):
                raise ValueError(f"output_map has {len(names)} names for {pipe.num_outputs} outputs")

    def _batch(self, outputs: Sequence[TensorListCPU], selection: np.ndarray | None) -> DataBatch:
        arrays: dict[str, list[NDArray]] = {self.DATA_TAG: [], self.LABEL_TAG: []}
        described: dict[str, list[DataDesc]] = {self.DATA_TAG: [], self.LABEL_TAG: []}
        for (name, tag), output in zip(self.output_map, outputs):
            with about_output(name, output):
                array = _array(output, selection)
            if tag == self.LABEL_TAG and self._squeezes:
                array = array.reshape(squeezed_shape(array.shape))
            layout = self._data_layout if tag == self.DATA_TAG else ""
            arrays[tag].append(array)
            described[tag].append(DataDesc(name, tuple(array.shape), array.dtype, layout))
        pad = 0 if selection is None else self.batch_size - len(selection)
        return DataBatch(
            arrays[self.DATA_TAG], arrays[self.LABEL_TAG], pad, None, described[self.DATA_TAG], described[self.LABEL_TAG]
        )

    def _taken(self) -> list[DataBatch]:
        outputs, selections = self._advance()
        batches = [self._batch(tensors, selection) for tensors, selection in zip(outputs, selections)]
        if self._described is None:
            self._described = batches[0].provide_data, batches[0].provide_label
        return batches

    def _descriptions(self) -> tuple[list[DataDesc], list[DataDesc]]:
        """What the outputs are. The first batch says so, which is made for that if need be, and stays the next."""
        if self._described is None:
            self._look_ahead()
        assert self._described is not None
        return self._described

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the data."""
        return self._descriptions()[0]

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the labels."""
        return self._descriptions()[1]


class DALIClassificationIterator(DALIGenericIterator):
    """A :class:`DALIGenericIterator` over pipelines with two outputs, images and labels."""

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        size: int = -1,
        reader_name: str | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        data_layout: str = "NCHW",
        fill_last_batch: bool | None = None,
        auto_reset: bool | str | None = False,
        squeeze_labels: bool = True,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        output_map = [(data_name, self.DATA_TAG), (label_name, self.LABEL_TAG)]
        super().__init__(
            pipelines, output_map, size, reader_name, data_layout, fill_last_batch, auto_reset, squeeze_labels,
            dynamic_shape, last_batch_padded, last_batch_policy, prepare_first_batch,
        )


class DALIGluonIterator(BaseIterator[list[list[Any]]]):
    """Gives, for each pipeline, a list with an entry for each output: an array, or where `output_types` says SPARSE_TAG
    a list with an array for each sample."""

    DENSE_TAG = "dense"
    SPARSE_TAG = "sparse"

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        size: int = -1,
        reader_name: str | None = None,
        output_types: Sequence[str] | None = None,
        auto_reset: bool | str | None = False,
        fill_last_batch: bool | None = None,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        super().__init__(
            pipelines, size, reader_name, auto_reset, fill_last_batch, last_batch_padded, last_batch_policy,
            prepare_first_batch,
        )
        count = self._pipes[0].num_outputs
        self._types = [self.DENSE_TAG] * count if output_types is None else list(output_types)
        if len(self._types) != count or not set(self._types) <= {self.DENSE_TAG, self.SPARSE_TAG}:
            raise ValueError(f"output_types must have DENSE_TAG or SPARSE_TAG for each of {count} outputs")

    def _converted(self, place: int, tag: str, batch: TensorListCPU, selection: np.ndarray | None) -> Any:
        if tag == self.DENSE_TAG:
            with about_output(place, batch, "tag it SPARSE_TAG and take it as a list"):
                return _array(batch, selection)
        places = range(len(batch)) if selection is None else selection
        return [NDArray(batch[int(place)], copy=False) for place in places]

    def _taken(self) -> list[list[Any]]:
        outputs, selections = self._advance()
        return [
            [
                self._converted(place, tag, batch, selection)
                for place, (tag, batch) in enumerate(zip(self._types, batches))
            ]
            for batches, selection in zip(outputs, selections)
        ]


def feed_ndarray(dali_tensor: TensorCPU | TensorListCPU, arr: NDArray, cuda_stream: Any = None) -> NDArray:
    """Copies a tensor, or a batch of samples of one shape, into `arr`, which has its shape and type; gives `arr`."""
    source = dali_tensor.as_array()
    if tuple(arr.shape) != source.shape or np.dtype(arr.dtype) != source.dtype:
        raise ValueError(
            f"a tensor of {source.dtype} and shape {source.shape} cannot be put into an array of {np.dtype(arr.dtype)} "
            f"and shape {tuple(arr.shape)}"
        )
    arr[:] = NDArray(TensorCPU(source), copy=False)
    return arr
