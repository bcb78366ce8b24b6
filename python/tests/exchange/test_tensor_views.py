"""Tensors and batches seen otherwise: other types, layouts, batches made of one tensor or of other libraries' arrays."""

from __future__ import annotations

import numpy as np
import pytest

from forebay import TensorCPU, TensorListCPU, types


def test_reinterpreting_a_tensor_keeps_its_memory() -> None:
    array = np.array([[1.0, -2.0]], np.float32)
    tensor = TensorCPU(array, "HW")
    tensor.reinterpret(types.INT32)
    assert (tensor.dtype, tensor.layout(), list(tensor.shape())) == (types.INT32, "HW", [1, 2])
    np.testing.assert_array_equal(tensor.as_array(), array.view(np.int32))
    assert np.shares_memory(tensor.as_array(), array)


def test_reinterpreting_a_batch() -> None:
    batch = TensorListCPU([np.uint8([255, 1]), np.uint8([128])], "X")
    batch.reinterpret(types.INT8)
    assert [np.array(sample).tolist() for sample in batch] == [[-1, 1], [-128]]
    assert batch.layout() == "X"


@pytest.mark.parametrize("dtype", [types.INT64, types.UINT8, types.FLOAT16])
def test_the_size_of_elements_cannot_change(dtype: types.DALIDataType) -> None:
    with pytest.raises(ValueError, match="elements of 4 bytes cannot be seen as"):
        TensorCPU(np.zeros(4, np.float32)).reinterpret(dtype)
    with pytest.raises(ValueError, match="elements of 4 bytes cannot be seen as"):
        TensorListCPU([np.zeros(4, np.int32)]).reinterpret(dtype)


def test_what_is_no_element_type() -> None:
    for number in (types.STRING, 99, -1):
        with pytest.raises(ValueError, match="number of no element type"):
            TensorCPU(np.zeros(4, np.float32)).reinterpret(number)


def test_a_batch_of_one_tensor() -> None:
    tensor = TensorCPU(np.arange(6, dtype=np.int16).reshape(2, 3), "HW")
    batch = TensorListCPU.broadcast(tensor, 3)
    assert (len(batch), batch.layout(), batch.dtype) == (3, "HW", types.INT16)
    assert all(np.shares_memory(sample.as_array(), tensor.as_array()) for sample in batch)
    assert batch.as_array().shape == (3, 2, 3)
    assert len(TensorListCPU.broadcast(tensor, 0)) == 0
    with pytest.raises(ValueError, match="cannot have -1 samples"):
        TensorListCPU.broadcast(tensor, -1)


def test_the_layout_of_a_batch() -> None:
    batch = TensorListCPU([np.zeros((2, 3)), np.zeros((4, 1))])
    batch.set_layout("HW")
    assert batch.layout() == "HW" and batch[1].layout() == "HW"
    with pytest.raises(ValueError, match="does not fit a tensor of 2 dimensions"):
        batch.set_layout("HWC")
    batch.set_layout(None)
    assert batch.layout() == ""


def test_a_batch_of_other_libraries_arrays() -> None:
    arrays = [np.float32([1, 2]), np.float32([3, 4])]
    batch = TensorListCPU.from_dlpack_list(arrays, layout="X")
    assert batch.layout() == "X" and np.shares_memory(batch[0].as_array(), arrays[0])
    joined = TensorListCPU.from_dlpack_list(arrays, contiguous=True)
    assert joined.is_contiguous() and not np.shares_memory(joined[0].as_array(), arrays[0])
    np.testing.assert_array_equal(joined.as_array(), arrays)
    assert len(TensorListCPU.from_dlpack_list([], contiguous=True)) == 0
    with pytest.raises(ValueError, match="cannot be one tensor"):
        TensorListCPU.from_dlpack_list([np.zeros(1), np.zeros(2)], contiguous=True)


def test_a_batch_that_was_reset_is_empty() -> None:
    batch = TensorListCPU([np.zeros(2)])
    kept = batch[0]
    batch.reset()
    assert (len(batch), batch.shape(), batch.layout()) == (0, [], "")
    assert kept.as_array().tolist() == [0, 0]
