"""``x[key]`` and ``x[key] = value`` beside NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay import autograd, nd

SHAPE = (3, 4, 5)


def values() -> np.ndarray:
    return np.arange(60, dtype=np.float32).reshape(SHAPE)


BASIC = [
    np.s_[1],
    np.s_[-1],
    np.s_[1, 2],
    np.s_[1:3],
    np.s_[::-1],
    np.s_[5:1],
    np.s_[..., 1],
    np.s_[..., None],
    np.s_[None, 1, ..., ::2],
    np.s_[:, 1:3, ::-2],
    np.s_[()],
    np.s_[1:1],
    np.s_[:, None, 2],
    np.s_[np.int64(2), 0:3],
]

ADVANCED = [
    [0, 2],
    [-1],
    np.array([[0, 1], [2, 2]]),
    np.s_[[0, 1], [1, 2]],
    np.s_[[0, 1], 1:3],
    np.s_[[0, 1], :, [1, 2]],
    np.s_[:, [0, 2]],
    np.s_[..., [0, 1], [0, 1]],
    np.s_[:, [0, 2], None],
    np.s_[None, [0, 1], [0, 1]],
    np.s_[[0], ..., [0, 1]],
    np.s_[1, [0, 2]],
    np.s_[:, 1, [0, 2]],
    np.s_[np.array([True, False, True])],
    np.s_[:, np.array([True, False, True, False]), ::2],
    values() > 31,
    [],
]


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=repr)
def test_reads_as_numpy(key) -> None:
    want = values()[key]
    got = nd.array(values())[key]
    np.testing.assert_array_equal(got.asnumpy(), np.atleast_1d(want))
    assert got.shape == np.atleast_1d(want).shape


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=repr)
def test_writes_as_numpy(key) -> None:
    want = values()
    array = nd.array(want)
    part = want[key]
    value = -1 - np.arange(part.size, dtype=np.float32).reshape(part.shape)
    want[key] = value
    array[key] = value
    np.testing.assert_array_equal(array.asnumpy(), want)
    want[key] = 7
    array[key] = 7
    np.testing.assert_array_equal(array.asnumpy(), want)


def test_one_number_has_the_shape_one() -> None:
    assert nd.array(values())[1, 2, 3].shape == (1,)
    assert nd.array(values())[1, 2, 3].asscalar() == 33


def test_indices_may_be_arrays_of_any_type() -> None:
    array = nd.array(values())
    for dtype in ("float32", "int64", "uint8"):
        index = nd.array([2, 0], dtype=dtype)
        np.testing.assert_array_equal(array[index].asnumpy(), values()[[2, 0]])
        np.testing.assert_array_equal(array[:, index].asnumpy(), values()[:, [2, 0]])
        np.testing.assert_array_equal(array[index, index].asnumpy(), values()[[2, 0], [2, 0]])
    mask = nd.array(values() > 31, dtype="bool")
    np.testing.assert_array_equal(array[mask].asnumpy(), values()[values() > 31])


def test_an_index_array_writes_without_being_waited_for() -> None:
    array = nd.zeros((4, 2))
    array[nd.array([3, 1])] = nd.array([[1, 2], [3, 4]])
    np.testing.assert_array_equal(array.asnumpy(), [[0, 0], [3, 4], [0, 0], [1, 2]])


def test_dense_parts_share_memory() -> None:
    array = nd.zeros((3, 4))
    for key in (1, np.s_[0:2], np.s_[1, 1:3], np.s_[None, 2], np.s_[...]):
        assert array[key].shares_memory_with(array), key
    assert not array[:, 1].shares_memory_with(array)
    part = array[1, 1:3]
    part[:] = 5
    assert array.asnumpy()[1].tolist() == [0, 5, 5, 0]
    part += 1
    assert array.asnumpy()[1].tolist() == [0, 6, 6, 0]


def test_values_are_broadcast_and_converted() -> None:
    array = nd.zeros((2, 3, 4))
    array[:, 1] = nd.array([1, 2, 3, 4], dtype="int32")
    array[:, ::2] = np.ones((2, 2, 1))
    array[0, 0] = [[9, 9, 9, 9]]
    want = np.zeros((2, 3, 4))
    want[:, 1] = [1, 2, 3, 4]
    want[:, ::2] = 1
    want[0, 0] = 9
    np.testing.assert_array_equal(array.asnumpy(), want)


def test_writes_what_it_reads() -> None:
    array = nd.array([1, 2, 3, 4])
    array[::-1] = array
    assert array.asnumpy().tolist() == [4, 3, 2, 1]
    array[1:] = array[:-1]
    assert array.asnumpy().tolist() == [4, 4, 3, 2]


@pytest.mark.parametrize(
    "key", [3, -4, np.s_[0, 4], np.s_[[3]], np.s_[:, [4]], np.s_[[0], [4]], np.s_[0, 0, 0, 0]], ids=repr
)
def test_what_is_not_there_is_an_index_error(key) -> None:
    array = nd.array(values())
    with pytest.raises(IndexError, match=r"\b(3|4)\b"):
        array[key]
    with pytest.raises(IndexError):
        array[key] = 1


def test_an_index_arrays_error_comes_when_it_is_read() -> None:
    part = nd.array(values())[nd.array([0, 3])]
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        part.asnumpy()
    with pytest.raises(IndexError):
        nd.waitall()


def test_other_keys_and_values_are_refused() -> None:
    array = nd.array(values())
    for key in (1.5, "a"):
        with pytest.raises(ValueError, match="indexed with"):
            array[key]
    with pytest.raises(ValueError, match="broadcast"):
        array[0, 1:3] = nd.ones((3,))
    with pytest.raises(ValueError):
        array[[0, 1]] = nd.ones((3,))


@pytest.mark.parametrize("key", BASIC[:4] + BASIC[6:10] + ADVANCED[:-1], ids=repr)
def test_has_gradients(key) -> None:
    array = nd.array(values())
    array.attach_grad()
    weights = nd.random.uniform(shape=np.atleast_1d(values()[key]).shape)
    with autograd.record():
        loss = (array[key] * weights).sum()
    loss.backward()
    want = np.zeros(SHAPE, np.float32)
    np.add.at(want, key, weights.asnumpy().reshape(values()[key].shape))
    np.testing.assert_allclose(array.grad.asnumpy(), want, rtol=1e-6)


slices = st.slices(4)
items = st.one_of(slices, st.integers(-4, 3), st.just(None), st.just(Ellipsis), st.just([0, -1, 2]))


@settings(max_examples=150, deadline=None)
@given(st.lists(items, max_size=5))
def test_any_mixture_of_items(key) -> None:
    if sum(item is Ellipsis for item in key) > 1 or sum(item not in (None, Ellipsis) for item in key) > 3:
        return
    array = np.arange(64, dtype=np.int32).reshape(4, 4, 4)
    want = array[tuple(key)]
    np.testing.assert_array_equal(nd.array(array)[tuple(key)].asnumpy(), np.atleast_1d(want))


def test_iterating_gives_the_rows() -> None:
    rows = [row.asnumpy().tolist() for row in nd.array([[1, 2], [3, 4]])]
    assert rows == [[1, 2], [3, 4]]
    assert list(itertools.chain(*rows)) == [1, 2, 3, 4]
