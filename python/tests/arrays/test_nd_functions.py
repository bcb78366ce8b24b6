"""Functions element by element, choosing, sorting and counting, beside NumPy and the C library."""

from __future__ import annotations

import math

import numpy as np
import pytest

from forebay import autograd, nd

Y = np.array([[1.5, -2.5, 0.5], [2.5, -0.5, 0]], np.float32)
I = np.array([[1, -2, 3], [4, 5, -6]], np.int32)


def each(function):
    return np.vectorize(function, otypes=[np.float64])


def test_methods_are_the_functions_of_their_names() -> None:
    x = nd.array([[1.5, -2.5, 0.25]])
    for name in ("abs", "relu", "sqrt", "flatten", "argsort", "softmax", "zeros_like"):
        np.testing.assert_array_equal(getattr(x, name)().asnumpy(), getattr(nd, name)(x).asnumpy())
    np.testing.assert_array_equal(x.clip(a_min=0, a_max=1).asnumpy(), [[1, 0, 0.25]])
    assert nd.NDArray.relu is nd.relu


def test_nd_offers_its_table_and_nothing_else() -> None:
    assert {"add", "relu", "random_uniform", "Convolution", "NDArray", "cpu"} <= set(nd.__all__)
    assert not {"into", "native", "annotations", "numpy", "Axis"} & set(dir(nd))
    for name in nd.__all__:
        assert getattr(nd, name) is not None


UNIT = np.linspace(-0.95, 0.95, 41, dtype=np.float32)
POSITIVE = np.linspace(0.05, 9, 41, dtype=np.float32)
WIDE = np.linspace(-9, 9, 41, dtype=np.float32)
FUNCTIONS = {
    "relu": (WIDE, lambda x: np.maximum(x, 0)),
    "sigmoid": (WIDE, lambda x: 1 / (1 + np.exp(-x))),
    "softsign": (WIDE, lambda x: x / (1 + abs(x))),
    "hard_sigmoid": (WIDE, lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "smooth_l1": (WIDE, lambda x: np.where(abs(x) < 1, x * x / 2, abs(x) - 0.5)),
    "erf": (WIDE, each(math.erf)),
    "gamma": (POSITIVE, each(math.gamma)),
    "gammaln": (POSITIVE, each(math.lgamma)),
    "square": (WIDE, np.square),
    "reciprocal": (POSITIVE, np.reciprocal),
    "rcbrt": (POSITIVE, lambda x: 1 / np.cbrt(x)),
    "log1p": (POSITIVE, np.log1p),
    "expm1": (WIDE, np.expm1),
    "sign": (WIDE, np.sign),
    "trunc": (WIDE, np.trunc),
    "fix": (WIDE, np.fix),
    "degrees": (WIDE, np.degrees),
    "radians": (WIDE, np.radians),
    "logical_not": (WIDE, lambda x: (x == 0) * 1.0),
    "exp": (WIDE, np.exp),
    "log": (POSITIVE, np.log),
    "tanh": (WIDE, np.tanh),
    "sin": (WIDE, np.sin),
    "cos": (WIDE, np.cos),
    "arcsin": (UNIT, np.arcsin),
    "arctanh": (UNIT, np.arctanh),
    "floor": (WIDE, np.floor),
    "sqrt": (POSITIVE, np.sqrt),
    "rsqrt": (POSITIVE, lambda x: 1 / np.sqrt(x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_functions(name, dtype) -> None:
    inputs, function = FUNCTIONS[name]
    inputs = inputs.astype(dtype)
    got = getattr(nd, name)(nd.array(inputs))
    assert got.dtype == np.dtype(dtype)
    tolerance = {"float64": 1e-12, "float32": 2e-6, "float16": 2e-3}[dtype]
    np.testing.assert_allclose(got.asnumpy(), function(inputs.astype(np.float64)), tolerance, 1e-7)


def test_integers_stay_integers() -> None:
    for name in ("relu", "sigmoid", "exp", "sqrt", "square", "sign", "round", "floor", "reciprocal"):
        assert getattr(nd, name)(nd.array(abs(I))).dtype == np.int32
    assert nd.exp(nd.array([1, 5], dtype="uint8")).asnumpy().tolist() == [2, 148]


def test_norms_need_no_room_for_squares() -> None:
    assert nd.norm(nd.array([300, 300], dtype="float16")).asscalar() == np.float16(424.2)
    assert nd.norm(nd.array([3e30, 4e30])).asscalar() == np.float32(5e30)
    for dtype in ("int8", "uint8", "int32", "int64"):
        norm = nd.array([3, 4, 12, 84], dtype=dtype).norm()
        assert norm.dtype == np.dtype(dtype) and norm.asscalar() == 85
    assert nd.norm(nd.ones((2, 3), dtype="int32"), axis=1).asnumpy().tolist() == [1, 1]
    assert nd.norm(nd.array([2**32, 0], dtype="int64")).asscalar() == 2**32


def test_rounding_of_halves() -> None:
    assert nd.round(nd.array(Y)).asnumpy().tolist() == [[2, -3, 1], [3, -1, 0]]
    assert nd.rint(nd.array(Y)).asnumpy().tolist() == [[1, -3, 0], [2, -1, 0]]


def test_inverse_error_function() -> None:
    inputs = np.linspace(-0.99, 0.99, 67)
    np.testing.assert_allclose(each(math.erf)(nd.erfinv(nd.array(inputs)).asnumpy()), inputs, 1e-12, 1e-15)
    assert np.isnan(nd.erfinv(nd.array([1.5])).asscalar())


def test_modulo_has_the_sign_of_the_divisor() -> None:
    y, i = nd.array(Y), nd.array(I)
    np.testing.assert_allclose((y % 2).asnumpy(), Y % 2)
    np.testing.assert_allclose((y % -2).asnumpy(), Y % -2)
    np.testing.assert_array_equal((i % -4).asnumpy(), I % -4)
    np.testing.assert_array_equal((7 % i).asnumpy(), 7 % I)
    np.testing.assert_array_equal((i % 0).asnumpy(), I * 0)
    y %= 2
    np.testing.assert_allclose(y.asnumpy(), Y % 2)


def test_logic() -> None:
    y, zeros = nd.array(Y), nd.zeros((1, 3))
    assert nd.logical_and(y, 1).asnumpy().tolist() == [[1, 1, 1], [1, 1, 0]]
    assert nd.logical_or(y, zeros).asnumpy().tolist() == [[1, 1, 1], [1, 1, 0]]
    assert nd.logical_xor(2, y).asnumpy().tolist() == [[0, 0, 0], [0, 0, 1]]
    with pytest.raises(ValueError, match="astype"):
        nd.logical_and(y, nd.array(I))


def test_clip_maximum_and_sums() -> None:
    assert nd.clip(nd.array(I), -1.5, 1.5).asnumpy().tolist() == [[1, -1, 1], [1, 1, -1]]
    assert nd.array(Y).clip(-1, 1).asnumpy().tolist() == [[1, -1, 0.5], [1, -0.5, 0]]
    np.testing.assert_array_equal(nd.maximum(0, nd.array(Y)).asnumpy(), np.maximum(0, Y))
    np.testing.assert_allclose(nd.add_n(nd.array(Y), nd.array(Y), nd.array(Y)).asnumpy(), 3 * Y)
    with pytest.raises(ValueError):
        nd.add_n(nd.array(Y), nd.zeros((1, 3)))


def test_gradients_stop_and_start() -> None:
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        loss = nd.stop_gradient(x) * x + nd.make_loss(x * 0) * 5
    loss.backward()
    assert x.grad.asnumpy().tolist() == [1, 2]
    with autograd.record():
        loss = nd.MakeLoss(x, grad_scale=4, normalization="batch")
    loss.backward()
    assert x.grad.asnumpy().tolist() == [2, 2]


def test_casts_cut_off() -> None:
    assert nd.cast(nd.array([300, -1, 1.9]), "uint8").asnumpy().tolist() == [44, 255, 1]
    assert nd.Cast(nd.array([-1.9]), dtype="int32").dtype == np.int32


def test_out_and_methods() -> None:
    out = nd.zeros((2, 3))
    assert nd.sigmoid(nd.array(Y), out=out) is out
    np.testing.assert_allclose(out.asnumpy(), nd.array(Y).sigmoid().asnumpy())
    for name in ("abs", "exp", "relu", "round", "sin", "square", "log1p", "zeros_like", "argsort", "sort"):
        got = getattr(nd.array(abs(Y)), name)()
        np.testing.assert_array_equal(got.asnumpy(), getattr(nd, name)(nd.array(abs(Y))).asnumpy())


def test_take_and_pick() -> None:
    y = nd.array(Y)
    assert nd.take(y, nd.array([2, -1, 5]), axis=1).asnumpy().tolist() == Y[:, [2, 0, 2]].tolist()
    assert y.take(nd.array([2, -1, 5]), axis=1, mode="wrap").asnumpy().tolist() == Y[:, [2, 2, 2]].tolist()
    assert y.pick(nd.array([0, 2])).asnumpy().tolist() == [1.5, 0]
    assert nd.pick(y, nd.array([0, 9, 1]), axis=0, keepdims=True).shape == (1, 3)
    with pytest.raises(IndexError):
        nd.take(y, nd.array([3]), mode="raise").asnumpy()
    with pytest.raises(IndexError):
        nd.waitall()


def test_takes_gradient_adds_up() -> None:
    table = nd.zeros((5, 3))
    table.attach_grad()
    places = np.random.default_rng(0).integers(0, 5, 1000)
    with autograd.record():
        loss = nd.take(table, nd.array(places)).sum()
    loss.backward()
    np.testing.assert_array_equal(table.grad.asnumpy()[:, 1], np.bincount(places, minlength=5))


def test_gather_scatter_where_one_hot() -> None:
    x = nd.array(np.arange(24).reshape(2, 3, 4))
    places = nd.array([[0, 1], [1, 2]])
    np.testing.assert_array_equal(nd.gather_nd(x, places).asnumpy(), x.asnumpy()[[0, 1], [1, 2]])
    scattered = nd.scatter_nd(nd.array([2, 3, 0]), nd.array([[1, 1, 0], [0, 1, 0]]), (2, 2))
    assert scattered.asnumpy().tolist() == [[0, 0], [2, 3]]
    assert nd.where(nd.array([1, 0]), nd.array(Y), nd.array(-Y)).asnumpy().tolist() == [
        Y[0].tolist(),
        (-Y[1]).tolist(),
    ]
    hot = nd.array([1, 7, -1]).one_hot(3, on_value=8, off_value=1, dtype="int32")
    assert hot.asnumpy().tolist() == [[1, 8, 1], [1, 1, 1], [1, 1, 1]]


def test_contrib() -> None:
    y = nd.array(Y)
    assert nd.contrib.boolean_mask(y, nd.array([0, 1])).asnumpy().tolist() == Y[1:].tolist()
    assert nd.contrib.boolean_mask(y, nd.array([0, 0])).shape == (0, 3)
    copied = nd.contrib.index_copy(nd.zeros((3, 2)), nd.array([0, 2], dtype="int64"), nd.ones((2, 2)))
    assert copied.asnumpy().tolist() == [[1, 1], [0, 0], [1, 1]]
    assert nd.contrib.isnan(nd.array([np.nan, 1])).asnumpy().tolist() == [1, 0]
    assert nd.contrib.arange_like(y, axis=1).asnumpy().tolist() == [0, 1, 2]
    assert nd.contrib.index_array(y).asnumpy()[1, 2].tolist() == [1, 2]


def test_sorting() -> None:
    values = np.random.default_rng(1).integers(0, 9, (4, 5, 6)).astype(np.float32)
    x = nd.array(values)
    for axis in (0, 1, -1):
        np.testing.assert_array_equal(x.sort(axis).asnumpy(), np.sort(values, axis))
        np.testing.assert_array_equal(x.argsort(axis).asnumpy(), np.argsort(values, axis, kind="stable"))
        np.testing.assert_array_equal(nd.sort(x, axis, is_ascend=False).asnumpy(), -np.sort(-values, axis))
    np.testing.assert_array_equal(nd.sort(x, axis=None).asnumpy(), np.sort(values, None))
    assert x.argsort().dtype == np.float32
    assert x.argsort(dtype="int32").dtype == np.int32


def test_topk() -> None:
    y = nd.array(Y)
    assert nd.topk(y, k=2).asnumpy().tolist() == [[0, 2], [0, 2]]
    assert y.topk(k=2, ret_typ="value").asnumpy().tolist() == [[1.5, 0.5], [2.5, 0]]
    value, index = nd.topk(y, k=1, ret_typ="both", is_ascend=True, axis=0, dtype="int64")
    assert value.asnumpy().tolist() == [[1.5, -2.5, 0]]
    assert index.asnumpy().tolist() == [[0, 0, 1]]
    assert nd.topk(y, k=2, ret_typ="mask").asnumpy().tolist() == [[1, 0, 1], [1, 0, 1]]
    assert nd.topk(y, axis=None, k=2).asnumpy().tolist() == [3, 0]
    with pytest.raises(ValueError):
        nd.topk(y, k=9)


def test_gradients_of_sorting_follow_the_elements() -> None:
    x = nd.array([3.0, 1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        loss = (nd.sort(x) * nd.array([10, 20, 30])).sum() + nd.topk(x, k=2, ret_typ="value").sum()
    loss.backward()
    assert x.grad.asnumpy().tolist() == [31, 10, 21]
    y = nd.array([[2.0, 1.0], [2.0, 0.0], [3.0, 4.0]])
    y.attach_grad()
    with autograd.record():
        loss = (nd.sort(y, axis=0, is_ascend=False) * nd.array([[10, 1], [20, 2], [30, 3]])).sum()
    loss.backward()
    assert y.grad.asnumpy().tolist() == [[20, 2], [30, 3], [10, 1]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int32", "int64", "uint8"])
def test_long_lines_are_sorted(dtype: str) -> None:
    values = (np.random.default_rng(2).standard_normal(3000) * 50).astype(dtype)
    x = nd.array(values)
    np.testing.assert_array_equal(x.sort().asnumpy(), np.sort(values))
    order = np.argsort(values, kind="stable")
    np.testing.assert_array_equal(x.argsort(dtype="int32").asnumpy(), order)
    np.testing.assert_array_equal(x.topk(k=7, ret_typ="value", is_ascend=True).asnumpy(), values[order[:7]])
    if dtype.startswith("float"):
        x[5] = np.nan
        for is_ascend in (True, False):
            assert np.isnan(x.sort(is_ascend=is_ascend).asnumpy()[-1])
            assert x.argsort(is_ascend=is_ascend).asnumpy()[-1] == 5


def test_counting() -> None:
    numbers = nd.array([[1, np.nan], [3, 4]])
    assert nd.nansum(numbers, axis=1).asnumpy().tolist() == [1, 7]
    assert nd.nanprod(numbers).asscalar() == 12
    np.testing.assert_allclose(nd.cumsum(nd.array(Y), axis=0).asnumpy(), np.cumsum(Y, 0))
    assert nd.cumsum(nd.array(I), dtype="float64").asnumpy().tolist() == np.cumsum(I).tolist()
    assert nd.argmax_channel(nd.array(Y)).asnumpy().tolist() == [0, 0]
    for mode, axes in (("instance", (1, 2)), ("channel", 1), ("spatial", 2)):
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        want = x / np.sqrt((x * x).sum(axes, keepdims=True) + 1e-10)
        np.testing.assert_allclose(nd.L2Normalization(nd.array(x), mode=mode).asnumpy(), want, 1e-6)
    with pytest.raises(ValueError):
        nd.array(Y).sum(axis=(0, 0))
