"""Iterators of MXNet scripts give Forebay's own arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from forebay import fn, nd, pipeline_def
from forebay.plugin.mxnet import (
    DALIClassificationIterator,
    DALIGenericIterator,
    DALIGluonIterator,
    LastBatchPolicy,
    feed_ndarray,
)


@pipeline_def(batch_size=4, num_threads=1)
def pictures(ragged: bool = False) -> Any:
    def source(info: Any) -> Any:
        if info.iteration == 3:
            raise StopIteration
        size = info.idx_in_batch + 1 if ragged else 3
        return np.full((3, size, 2), info.idx_in_epoch, np.float32), np.array([[info.idx_in_epoch]], np.int32)

    images, numbers = fn.external_source(source, num_outputs=2, batch=False)
    return images + np.float32(0), numbers  # an operator makes the batch one piece


def test_batches_have_data_and_labels() -> None:
    iterator = DALIGenericIterator(pictures(), [("image", "data"), ("class", DALIGenericIterator.LABEL_TAG)])
    (description,) = iterator.provide_data
    assert (description.name, description.shape, description.layout) == ("image", (4, 3, 3, 2), "NCHW")
    (label,) = iterator.provide_label
    assert (label.name, label.shape) == ("class", (4,))
    batches = list(iterator)
    assert len(batches) == 3
    for number, (batch,) in enumerate(batches):
        (data,), (labels,) = batch.data, batch.label
        assert isinstance(data, nd.NDArray) and isinstance(labels, nd.NDArray)
        np.testing.assert_array_equal(data.asnumpy()[:, 0, 0, 0], np.arange(4 * number, 4 * number + 4))
        np.testing.assert_array_equal(labels.asnumpy(), np.arange(4 * number, 4 * number + 4))
        assert batch.pad == 0
    iterator.reset()
    assert len(list(iterator)) == 3


def test_labels_keep_their_axes_where_asked() -> None:
    iterator = DALIClassificationIterator(pictures(), squeeze_labels=False, data_layout="NHWC")
    assert iterator.provide_label[0].name == "softmax_label" and iterator.provide_label[0].shape == (4, 1, 1)
    assert iterator.provide_data[0].layout == "NHWC"


@pytest.mark.parametrize("before", [0, 1])
def test_a_look_at_the_descriptions_costs_no_batch(numbered_files: list[str], before: int) -> None:
    @pipeline_def(batch_size=4, num_threads=1, seed=1)
    def labelled() -> Any:
        jpegs, labels = fn.readers.file(files=numbered_files, name="reader")
        return fn.decoders.image(jpegs), labels

    def numbers(iterator: Any) -> list[int]:
        return [int(batch.label[0].asnumpy()[0]) for (batch,) in iterator]

    iterator = DALIClassificationIterator(labelled(), reader_name="reader")
    for _ in range(before):
        next(iterator)
    assert iterator.provide_data[0].shape[0] == 4
    state = iterator.state_dict()
    rest = numbers(iterator)
    assert rest == [0, 4, 8][before:]
    resumed = DALIClassificationIterator(labelled(), reader_name="reader")
    assert resumed.provide_label[0].shape == (4,)  # of a batch that is not given
    resumed.load_state_dict(state)
    assert numbers(resumed) == rest


def test_a_look_before_an_epoch_leaves_its_length() -> None:
    iterator = DALIClassificationIterator(pictures(), size=4)
    assert iterator.provide_data
    assert [int(batch.label[0].asnumpy()[0]) for (batch,) in iterator] == [0]
    assert iterator.provide_data[0].shape == (4, 3, 3, 2)  # as it was


def test_a_partial_batch_says_how_much_is_missing() -> None:
    iterator = DALIClassificationIterator(pictures(), size=10, last_batch_policy=LastBatchPolicy.PARTIAL)
    sizes = [(batch.data[0].shape[0], batch.pad) for (batch,) in iterator]
    assert sizes == [(4, 0), (4, 0), (2, 2)]


def test_arrays_share_the_memory_of_the_batch() -> None:
    class Kept(DALIGluonIterator):
        def _advance(self) -> Any:
            self.taken = super()._advance()
            return self.taken

    iterator = Kept(pictures())
    ((data, _),) = next(iterator)
    (batch, _), = iterator.taken[0]
    assert np.shares_memory(np.from_dlpack(data), batch.as_array())


def test_gluon_gives_samples_of_different_shapes() -> None:
    iterator = DALIGluonIterator(pictures(ragged=True), output_types=["sparse", "dense"])
    ((samples, labels),) = next(iterator)
    assert [sample.shape for sample in samples] == [(3, k + 1, 2) for k in range(4)]
    assert [float(sample.asnumpy().max()) for sample in samples] == [0, 1, 2, 3]
    assert labels.shape == (4, 1, 1)


def test_feed_ndarray_copies() -> None:
    batch = pictures().run()[0]
    target = nd.zeros((4, 3, 3, 2))
    assert feed_ndarray(batch, target) is target
    np.testing.assert_array_equal(target.asnumpy(), batch.as_array())
    with pytest.raises(ValueError, match="cannot be put into"):
        feed_ndarray(batch, nd.zeros((2, 2)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DALIGenericIterator(pictures(), [("a", "data"), ("a", "label")]), "names an output twice"),
        (lambda: DALIGenericIterator(pictures(), [("a", "data"), ("b", "mask")]), "tagged 'mask'"),
        (lambda: DALIGenericIterator(pictures(), [("a", "data")]), "1 names for 2 outputs"),
        (lambda: DALIGluonIterator(pictures(), output_types=["dense"]), "for each of 2 outputs"),
    ],
)
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
