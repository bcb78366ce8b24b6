"""Iterators that give tensors of PaddlePaddle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

paddle = pytest.importorskip("paddle")

from forebay import TensorCPU, TensorListCPU, fn, pipeline_def, types  # noqa: E402
from forebay.plugin.paddle import (  # noqa: E402
    DALIClassificationIterator,
    DALIGenericIterator,
    LastBatchPolicy,
    feed_ndarray,
    recursive_length,
    to_paddle_type,
)


@pipeline_def(batch_size=4, num_threads=1)
def counting(dtype: Any = types.FLOAT) -> Any:
    def source(info: Any) -> Any:
        if info.iteration == 3:
            raise StopIteration
        return np.full((2, 3), info.idx_in_epoch, np.float32), np.array([info.idx_in_epoch], np.int64)

    data, labels = fn.external_source(source, num_outputs=2, batch=False)
    return fn.cast(data, dtype=dtype), labels


def test_batches_are_tensors_over_the_same_memory() -> None:
    class Kept(DALIGenericIterator):
        def _advance(self) -> Any:
            self.taken = super()._advance()
            return self.taken

    iterator = Kept(counting(types.FLOAT64), ["x", ("y", 0)])
    (batch,) = next(iterator)
    assert isinstance(batch["x"], paddle.Tensor) and batch["x"].shape == [4, 2, 3]
    assert batch["x"].data_ptr() == iterator.taken[0][0][0].data_ptr()
    rest = [int(each["y"].numpy().max()) for (each,) in iterator]
    assert (batch["y"].numpy().ravel().tolist(), rest) == ([0, 1, 2, 3], [7, 11])
    assert float(paddle.sum(batch["x"])) == 6 * 6


def test_labels_are_as_a_loss_takes_them() -> None:
    labels = next(DALIClassificationIterator(counting(), squeeze_labels=True))[0]["label"]
    assert labels.numpy().tolist() == [0, 1, 2, 3] and labels.dtype == paddle.int64
    assert float(paddle.nn.functional.cross_entropy(paddle.zeros([4, 4]), labels)) > 0


def test_a_partial_batch_and_another_epoch() -> None:
    iterator = DALIClassificationIterator(counting(), size=10, last_batch_policy=LastBatchPolicy.PARTIAL)
    assert [len(batch["label"]) for (batch,) in iterator] == [4, 4, 2]
    endless = DALIClassificationIterator(counting(), auto_reset=True)
    for _ in range(2):
        assert [len(batch["label"]) for (batch,) in endless] == [4, 4, 4]


@pytest.mark.parametrize("dtype", [types.BOOL, types.UINT8, types.INT16, types.FLOAT16, types.FLOAT64])
def test_types(dtype: types.DALIDataType) -> None:
    ((batch),) = next(DALIGenericIterator(counting(dtype), ["x", "y"]))
    wanted = counting(dtype).run()[0].as_array()
    assert batch["x"].numpy().dtype == wanted.dtype
    np.testing.assert_array_equal(batch["x"].numpy(), wanted)


def test_a_type_that_paddle_lacks_is_an_error() -> None:
    with pytest.raises(TypeError, match="no tensors of DALIDataType.UINT16; cast"):
        next(DALIGenericIterator(counting(types.UINT16), ["x", "y"]))
    assert to_paddle_type(TensorCPU(np.zeros(1, np.int8))) == paddle.int8


def test_lengths_and_copies() -> None:
    assert recursive_length(TensorListCPU([np.zeros((2, 5)), np.zeros((3, 1))]), 2) == [[2], [2, 3]]
    assert recursive_length(np.zeros((2, 3)), 2) == [[2], [3, 3]]
    target = np.zeros((2, 2), np.float32)
    assert feed_ndarray(TensorCPU(np.ones((2, 2), np.float32)), target.ctypes.data) == target.ctypes.data
    assert (target == 1).all()


def test_levels_of_detail_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="'x' is asked for with levels of detail"):
        DALIGenericIterator(counting(), [("x", 1), "y"])
