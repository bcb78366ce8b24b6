"""Tensors and batches share memory with the arrays made from them and of them."""

import gc
import pathlib
from typing import Any, Callable

import numpy as np
import pytest

import forebay
from forebay import TensorCPU, TensorListCPU, types
from forebay.tensors import to_batch, to_tensor


@pytest.mark.parametrize("name", ["uint8", "int16", "uint32", "int64", "uint64", "float16", "float32", "float64", "bool"])
def test_arrays_go_in_and_out_without_a_copy(name: str) -> None:
    array = np.arange(12).reshape(3, 4).astype(name)
    before = forebay.bytes_copied()
    tensor = TensorCPU(array, "HW")
    back = tensor.as_array()
    assert forebay.bytes_copied() == before
    assert tensor.dtype == types.to_dali_type(name)
    assert (tensor.shape(), tensor.layout(), tensor.ndim()) == ([3, 4], "HW", 2)
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)
    assert back.ctypes.data == array.ctypes.data == tensor.data_ptr()


def test_a_copy_is_counted() -> None:
    array = np.zeros((10, 10), np.float32)
    before = forebay.bytes_copied()
    tensor = TensorCPU(array, "", True)
    assert forebay.bytes_copied() == before + array.nbytes
    array[0, 0] = 1
    assert tensor.as_array()[0, 0] == 0


def test_memory_lives_as_long_as_an_array_of_it() -> None:
    array = TensorCPU(np.full(1000, 7, np.int32)).as_array()
    gc.collect()
    assert array.sum() == 7000


def test_dlpack() -> None:
    tensor = TensorCPU(np.arange(6, dtype=np.float16).reshape(2, 3))
    assert tensor.__dlpack_device__() == (1, 0)
    other = np.from_dlpack(tensor)
    np.testing.assert_array_equal(other, tensor.as_array())
    assert other.ctypes.data == tensor.data_ptr()


def _frozen(kind: str, path: pathlib.Path) -> Any:
    """1, 2, 3, 4 in memory that nobody may write."""
    content = bytes([1, 2, 3, 4])
    if kind == "bytes":
        return content
    if kind == "memoryview":
        return memoryview(content)
    if kind == "array":
        array = np.frombuffer(bytearray(content), np.uint8)
        array.flags.writeable = False
        return array
    path.write_bytes(content)
    return np.memmap(path, np.uint8, "r")


@pytest.mark.parametrize("make", [TensorCPU, to_tensor])
@pytest.mark.parametrize("kind", ["bytes", "memoryview", "array", "file"])
def test_read_only_memory_stays_so(kind: str, make: Callable[[Any], TensorCPU], tmp_path: pathlib.Path) -> None:
    source = _frozen(kind, tmp_path / "values")
    before = forebay.bytes_copied()
    tensor = make(source)
    stacked = TensorListCPU([tensor]).as_tensor()
    for array in (np.asarray(tensor), tensor.as_array(), np.from_dlpack(tensor), np.asarray(stacked)):
        assert not array.flags.writeable and array.ravel().tolist() == [1, 2, 3, 4]
    assert forebay.bytes_copied() == before
    assert memoryview(tensor).readonly and tensor.__array_interface__["data"][1]
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(tensor)[0] = 9
    copied = np.from_dlpack(tensor, copy=True)
    for copy in (to_tensor(source, copy=True), TensorCPU(source, copy=True), TensorCPU(copied)):
        np.asarray(copy)[0] = 9
    assert bytes(memoryview(tensor)) == bytes([1, 2, 3, 4])


def test_nothing_may_be_handed_over_whoever_could_write_it() -> None:
    assert "dltensor" in str(TensorCPU(np.frombuffer(b"", np.uint8)).__dlpack__())


def test_a_batch_over_read_only_memory_stays_so(tmp_path: pathlib.Path) -> None:
    values = np.memmap(tmp_path / "values", np.uint8, "w+", shape=(2, 3))
    values.flush()
    frozen = np.memmap(tmp_path / "values", np.uint8, "r", shape=(2, 3))
    samples = to_batch(frozen)
    assert np.shares_memory(samples[0].as_array(), frozen)
    assert not any(sample.as_array().flags.writeable for sample in samples)
    assert not TensorListCPU(samples).as_array().flags.writeable


def test_dense_batches_are_one_array() -> None:
    batch = TensorListCPU([np.full((2, 2), k, np.uint8) for k in range(3)])
    assert len(batch) == 3
    assert batch.shape() == [(2, 2)] * 3
    assert batch.is_dense_tensor()
    np.testing.assert_array_equal(batch.as_array()[:, 0, 0], [0, 1, 2])
    assert batch.as_tensor().shape() == [3, 2, 2]
    np.testing.assert_array_equal(np.asarray(batch), batch.as_array())
    assert [int(sample.as_array()[0, 0]) for sample in batch] == [0, 1, 2]
    assert batch[-1].shape() == [2, 2]
    with pytest.raises(IndexError):
        batch[3]
    assert batch.as_cpu() is batch


def test_ragged_batches_say_that_they_are() -> None:
    batch = TensorListCPU([np.zeros((2, 2), np.uint8), np.zeros((3, 2), np.uint8)])
    assert not batch.is_dense_tensor()
    assert batch.at(1).shape == (3, 2)
    with pytest.raises(ValueError):
        batch.as_array()


def test_layouts() -> None:
    tensor = TensorCPU(np.zeros((1, 4, 1), np.uint8), "HWC")
    tensor.set_layout("CHW")
    assert tensor.get_property("layout") == "CHW"
    with pytest.raises(ValueError, match="layout"):
        tensor.set_layout("HW")
    with pytest.raises(ValueError, match="layout"):
        TensorCPU(np.zeros(3, np.uint8), "HW")


def test_squeezing_changes_the_tensor_itself() -> None:
    array = np.zeros((1, 4, 1), np.uint8)
    tensor = TensorCPU(array, "HWC")
    assert tensor.squeeze(1) is False and tensor.shape() == [1, 4, 1]
    assert tensor.squeeze(0) is True and (tensor.shape(), tensor.layout()) == ([4, 1], "WC")
    assert tensor.squeeze() is True and (tensor.shape(), tensor.layout()) == ([4], "W")
    assert tensor.squeeze() is False and tensor.data_ptr() == array.ctypes.data
    assert TensorCPU(array).get_property("layout") is None
    with pytest.raises(RuntimeError, match="axis 1 of a tensor of 1 dimensions"):
        tensor.squeeze(1)


def test_dlpack_capsules() -> None:
    array = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    tensor = TensorCPU(array.__dlpack__(), "HWC")
    assert (tensor.data_ptr(), tensor.layout(), tensor.shape()) == (array.ctypes.data, "HWC", [2, 3, 2])
    batch = TensorListCPU(array.__dlpack__(), layout="WC")
    assert (batch.layout(), batch.as_array().tolist()) == ("WC", array.tolist())
    with pytest.raises(ValueError, match="layout"):
        TensorCPU(array.__dlpack__(), "HW")
    capsule = array.__dlpack__()
    TensorCPU(capsule)
    with pytest.raises(BufferError, match="used already"):
        TensorCPU(capsule)


def test_the_address_of_a_batch() -> None:
    samples = [np.full((2, 2), 1.0), np.full((1, 2), 2.0)]
    for arrays in (samples, [samples[0], samples[0] + 1]):
        batch = TensorListCPU(arrays)
        address = batch.data_ptr()
        assert (address, address) == (batch.data_ptr(), batch[0].data_ptr())
        assert batch[1].data_ptr() == address + 32
        assert [sample.as_array().tolist() for sample in batch] == [array.tolist() for array in arrays]
    assert TensorListCPU([]).data_ptr() == 0


def test_what_cannot_be_a_tensor() -> None:
    with pytest.raises(TypeError):
        to_tensor([[1, 2], "x"])
    with pytest.raises(TypeError):
        to_tensor(np.zeros(2, np.complex64))
    with pytest.raises(TypeError):
        to_tensor(object())


def test_batches_of_one_array_or_of_a_list() -> None:
    whole = np.arange(6).reshape(3, 2)
    for data in (whole, list(whole), TensorListCPU(list(whole))):
        samples = to_batch(data)
        assert [sample.as_array().tolist() for sample in samples] == whole.tolist()
    with pytest.raises(ValueError):
        to_batch(np.float32(1))


def test_views_that_are_not_contiguous_are_copied_and_counted() -> None:
    array = np.arange(16).reshape(4, 4)[:, ::2]
    before = forebay.bytes_copied()
    np.testing.assert_array_equal(to_tensor(array).as_array(), array)
    assert forebay.bytes_copied() == before + array.nbytes


def test_numbers_between_places_of_their_size_are_copied_and_counted() -> None:
    content = np.arange(5, dtype=np.float32).tobytes()
    for source in (memoryview(b"?" + content)[1:].cast("f"), np.frombuffer(b"?" + content, np.float32, 5, 1)):
        for make in (to_tensor, TensorCPU):
            before = forebay.bytes_copied()
            tensor = make(source)
            assert forebay.bytes_copied() == before + len(content)
            assert tensor.data_ptr() % 4 == 0 and tensor.as_array().tolist() == [0, 1, 2, 3, 4]


def test_words_for_people() -> None:
    text = repr(TensorListCPU([np.zeros(2, np.uint8)]))
    assert "UINT8" in text and "num_samples=1" in text
    assert "shape=(2,)" in repr(TensorCPU(np.zeros(2, np.uint8)))


def test_a_batch_of_pictures_is_a_few_lines_of_text() -> None:
    batch = TensorListCPU([np.full((300 + i, 200, 3), i, np.uint8) for i in range(32)], layout="HWC")
    assert repr(batch) == str(batch) == (
        "TensorListCPU(\n    [[0 0 0 ... 0 0 0],\n    [1 1 1 ... 1 1 1],\n    [2 2 2 ... 2 2 2],\n    ...,\n    "
        '[31 31 31 ... 31 31 31]],\n    dtype=DALIDataType.UINT8,\n    device="cpu",\n    layout="HWC",\n    '
        "num_samples=32,\n    shape=[(300, 200, 3), (301, 200, 3), (302, 200, 3), ..., (331, 200, 3)], "
        "between (300, 200, 3) and (331, 200, 3))"
    )
    assert "[0.1235 0.1235 0.1235 ... 0.1235 0.1235 0.1235]" in repr(TensorCPU(np.full((224, 224), 0.123456, np.float32)))
    assert "shape=[(2, 2)] * 40)" in repr(TensorListCPU([np.eye(2, dtype=bool)] * 40))
    assert "[[ True False] [False True]]" in repr(TensorListCPU([np.eye(2, dtype=bool)] * 40))


def test_text_of_a_tensor_whatever_is_set_for_arrays() -> None:
    many, few = TensorCPU(np.arange(40)), TensorCPU(np.arange(10))
    with np.printoptions(threshold=5, edgeitems=1):
        assert "[0 1 2 ... 37 38 39]" in repr(many) and "[0 1 2 3 4 5 6 7 8 9]" in repr(few)
    with np.printoptions(formatter={"int": lambda value: f"{value} %"}):
        assert "[0 % 1 % 2 % ... 37 % 38 % 39 %]" in repr(many)


def test_odd_tensors_as_text() -> None:
    wide = TensorCPU(np.arange(6000, dtype=np.float16).reshape(20, 300))
    assert len(repr(wide).splitlines()) == 5
    for batch in (TensorListCPU([]), TensorListCPU([np.zeros((0, 3), np.float32)] * 2), TensorListCPU([np.float64(1.5)])):
        assert f"num_samples={len(batch)}" in repr(batch)
    ranks = TensorListCPU([np.zeros(k, np.int8) for k in (1, 9, 17, 4, 2, 30)])
    assert "between (1,) and (30,)" in repr(ranks) and len(repr(ranks).splitlines()) == 10


def test_a_batch_in_another_shape() -> None:
    batch = TensorListCPU([np.arange(6, dtype=np.int32).reshape(2, 3)] * 2, layout="HW")
    flat = batch.as_reshaped_tensor([3, 4])
    assert flat.as_array().ravel().tolist() == [0, 1, 2, 3, 4, 5] * 2
    assert (flat.layout(), batch.as_reshaped_tensor([2, 3, 2]).layout()) == ("", "NHW")
    ragged = TensorListCPU([np.arange(3), np.arange(5)])
    assert ragged.as_reshaped_tensor((2, 4)).as_array().tolist() == [[0, 1, 2, 0], [1, 2, 3, 4]]
    for wrong in ([5, 2], [-3, -4], [1] * 9):
        with pytest.raises(ValueError):
            batch.as_reshaped_tensor(wrong)


def test_constructors_take_what_dalis_do() -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert TensorCPU(array, layout="HW", is_pinned=False).layout() == "HW"
    assert TensorCPU(array, None).layout() == TensorListCPU(array, None).layout() == ""
    assert TensorListCPU(array, "W", False).layout() == TensorListCPU(array, layout="W", is_pinned=False).layout() == "W"
    assert TensorListCPU([TensorCPU(array)], "HW", contiguous=True).layout() == "HW"
    for kind in (ValueError, RuntimeError):
        with pytest.raises(kind, match="C-contiguous"):
            TensorCPU(array[:, ::2])
