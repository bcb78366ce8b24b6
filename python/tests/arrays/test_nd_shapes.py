"""Shapes and orders beside NumPy; gradients of what is made of several steps."""

from __future__ import annotations

import numpy as np
import pytest

from forebay import autograd, nd


def values(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def same(got: nd.NDArray, want: np.ndarray) -> None:
    np.testing.assert_array_equal(got.asnumpy(), want)
    assert got.shape == want.shape


A = values(2, 3, 4)
X = nd.array(A)
CASES = {
    "transpose": (lambda x: x.transpose(), A.T),
    "T": (lambda x: x.T, A.T),
    "transpose axes": (lambda x: nd.transpose(x, axes=(1, 0, 2)), A.transpose(1, 0, 2)),
    "swapaxes": (lambda x: x.swapaxes(0, 2), A.swapaxes(0, 2)),
    "moveaxis": (lambda x: nd.moveaxis(x, 0, 2), np.moveaxis(A, 0, 2)),
    "reshape reverse": (lambda x: x.reshape((-1, 0), reverse=True), A.reshape(6, 4)),
    "reshape reverse split": (lambda x: nd.reshape(x, (0, -4, 3, 1, 0), reverse=True), A.reshape(2, 3, 1, 4)),
    "reshape_like": (lambda x: x.reshape_like(nd.zeros((6, 4))), A.reshape(6, 4)),
    "expand_dims": (lambda x: x.expand_dims(-1), A[..., None]),
    "squeeze": (lambda x: x.expand_dims(1).squeeze(), A),
    "flatten": (lambda x: x.flatten(), A.reshape(2, 12)),
    "flip": (lambda x: x.flip(axis=(0, 2)), np.flip(A, (0, 2))),
    "concat": (lambda x: nd.concat(x, x * 2, dim=-1), np.concatenate([A, A * 2], -1)),
    "concatenate": (lambda x: nd.concatenate([x, x]), np.concatenate([A, A])),
    "stack": (lambda x: nd.stack(x, x * 2, axis=1), np.stack([A, A * 2], 1)),
    "slice": (lambda x: x.slice(begin=(0, 1), end=(1, None)), A[0:1, 1:]),
    "slice step": (lambda x: nd.slice(x, (None, 2), (None, 0), (None, -1)), A[:, 2:0:-1]),
    "slice_axis": (lambda x: x.slice_axis(axis=-1, begin=-3, end=-1), A[..., -3:-1]),
    "slice_like": (lambda x: x.slice_like(nd.zeros((1, 2)), axes=(0, 1)), A[:1, :2]),
    "tile": (lambda x: x.tile((2, 1, 3)), np.tile(A, (2, 1, 3))),
    "tile more axes": (lambda x: x.tile((2, 1, 1, 2)), np.tile(A, (2, 1, 1, 2))),
    "repeat": (lambda x: x.repeat(2, axis=1), np.repeat(A, 2, 1)),
    "repeat all": (lambda x: nd.repeat(x, 3), np.repeat(A, 3)),
    "pad": (lambda x: x.pad("constant", (0, 0, 1, 2, 3, 0), 9.0), np.pad(A, [(0, 0), (1, 2), (3, 0)], constant_values=9)),
    "pad edge": (lambda x: x.pad("edge", (0, 1, 1, 2, 3, 0)), np.pad(A, [(0, 1), (1, 2), (3, 0)], "edge")),
    "pad reflect": (lambda x: x.pad("reflect", (0, 0, 1, 2, 3, 0)), np.pad(A, [(0, 0), (1, 2), (3, 0)], "reflect")),
    "broadcast_axes": (lambda x: x.expand_dims(0).broadcast_axes(0, 2), np.stack([A, A])),
    "diag": (lambda x: x.diag(), np.diagonal(A)),
    "diag k": (lambda x: x.diag(-1, 1, 2), np.diagonal(A, -1, 1, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_numpy(name) -> None:
    function, want = CASES[name]
    same(function(X), want)


@pytest.mark.parametrize("name", CASES)
def test_each_element_has_its_gradient(name) -> None:
    """All of these place elements: the gradient of a weighted sum is the sum of the weights that an element meets."""
    function, _ = CASES[name]
    x = nd.array(A)
    x.attach_grad()
    with autograd.record():
        result = function(x)
        weights = nd.random.uniform(shape=result.shape)
        loss = (result * weights).sum()
    loss.backward()
    one = np.zeros_like(A)
    step = (0, 1, 2)
    one[step] = 1
    moved = (function(nd.array(A + one)) - function(nd.array(A))) * weights
    np.testing.assert_allclose(x.grad.asnumpy()[step], moved.asnumpy().sum(), rtol=1e-5)


def test_results_are_arrays_of_their_own() -> None:
    for name in ("expand_dims", "flatten", "reshape_like", "squeeze"):
        assert not CASES[name][0](X).shares_memory_with(X), name
    assert X.reshape((6, 4)).shares_memory_with(X)


def test_split_gives_a_list_unless_it_is_one() -> None:
    parts = nd.split(X, num_outputs=2, axis=2)
    assert isinstance(parts, list)
    same(parts[1], A[..., 2:])
    squeezed = X.split(3, axis=1, squeeze_axis=True)
    same(squeezed[2], A[:, 2])
    same(nd.split(X, 1, axis=1), A)
    pieces = nd.split_v2(X, (1,), axis=1)
    same(pieces[1], A[:, 1:])


def test_diagonals_of_vectors() -> None:
    for k in (-2, 0, 1):
        same(nd.diag(nd.array([1, 2, 3]), k), np.diag(np.array([1, 2, 3], np.float32), k))


def test_depth_and_space_are_inverse() -> None:
    pixels = nd.array(values(2, 3, 4, 6))
    depth = nd.space_to_depth(pixels, 2)
    assert depth.shape == (2, 12, 2, 3)
    same(nd.depth_to_space(depth, 2), pixels.asnumpy())


def test_broadcasting() -> None:
    column = nd.array(values(1, 2, 1))
    same(column.broadcast_to((2, 0, 3)), np.broadcast_to(values(1, 2, 1), (2, 2, 3)))
    same(column.broadcast_like(nd.zeros((3, 2, 2))), np.broadcast_to(values(1, 2, 1), (3, 2, 2)))
    same(nd.broadcast_like(nd.ones((1, 2)), nd.ones((5, 9)), (0,), (1,)), np.ones((9, 2), np.float32))


def test_facts_as_arrays() -> None:
    assert X.shape_array().asnumpy().tolist() == [2, 3, 4]
    assert nd.size_array(X).asnumpy().tolist() == [24]
    same(nd.eye(2, 3, k=1, dtype="int32"), np.eye(2, 3, 1, np.int32))
    same(nd.linspace(0, 1, 5, endpoint=False), np.linspace(0, 1, 5, False).astype(np.float32))


def test_out_takes_the_result() -> None:
    out = nd.zeros((4, 3, 2))
    assert nd.transpose(X, out=out) is out
    same(out, A.T)


@pytest.mark.parametrize(
    "call",
    [
        lambda: nd.transpose(X, axes=(0, 1)),
        lambda: nd.expand_dims(X, 5),
        lambda: nd.squeeze(X, axis=1),
        lambda: nd.concat(X, X.astype("int32")),
        lambda: nd.concat(X, X, dim=3),
        lambda: nd.stack(X, nd.zeros((1,))),
        lambda: nd.split(X, 5),
        lambda: nd.slice_like(X, nd.zeros((9, 9, 9))),
        lambda: nd.pad(X, "constant", (1, 1)),
        lambda: nd.pad(X, "else", (0, 0, 0, 0, 1, 1)),
        lambda: nd.broadcast_axis(X, 0, 5),
        lambda: nd.depth_to_space(X.expand_dims(0), 2),
    ],
)
def test_what_does_not_fit_is_a_value_error(call) -> None:
    with pytest.raises(ValueError):
        call()


def test_a_slice_that_leaves_the_axis_is_an_index_error() -> None:
    with pytest.raises(IndexError, match="size 3"):
        nd.slice_axis(X, axis=1, begin=2, end=9)
