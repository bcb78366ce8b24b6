"""Random arrays: the same numbers for a seed, the right distributions, parameters as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from forebay import autograd, nd

MOMENTS = {
    "uniform": (lambda **k: nd.random.uniform(-1, 3, **k), 1, 16 / 12),
    "normal": (lambda **k: nd.random.normal(2, 3, **k), 2, 9),
    "exponential": (lambda **k: nd.random.exponential(2.0, **k), 2, 4),
    "gamma": (lambda **k: nd.random.gamma(3, 2, **k), 6, 12),
    "poisson": (lambda **k: nd.random.poisson(30, **k), 30, 30),
    "negative_binomial": (lambda **k: nd.random.negative_binomial(3, 0.4, **k), 4.5, 4.5 / 0.4),
    "generalized_negative_binomial": (
        lambda **k: nd.random.generalized_negative_binomial(2, 0.3, **k),
        2,
        2 + 0.3 * 4,
    ),
    "bernoulli": (lambda **k: nd.random.bernoulli(0.3, **k), 0.3, 0.21),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_has_its_mean_and_variance(name) -> None:
    function, mean, variance = MOMENTS[name]
    nd.random.seed(11)
    drawn = function(shape=(200, 100))
    numbers = drawn.asnumpy().astype(np.float64)
    assert drawn.shape == (200, 100)
    assert numbers.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / numbers.size))
    assert numbers.var() == pytest.approx(variance, rel=0.08)
    nd.random.seed(11)
    np.testing.assert_array_equal(function(shape=(200, 100)).asnumpy(), numbers.astype(np.float32))
    assert np.any(function(shape=(200, 100)).asnumpy() != numbers)


def test_parameters_may_be_arrays() -> None:
    low, high = nd.array([[0, 100]]), nd.array([[1, 101]])
    drawn = nd.random.uniform(low, high, shape=(3, 2)).asnumpy()
    assert drawn.shape == (1, 2, 3, 2)
    assert np.all(np.floor(drawn[0, 0]) == 0)
    assert np.all(np.floor(drawn[0, 1]) == 100)
    assert nd.sample_normal(low, high).shape == (1, 2)
    assert nd.random.bernoulli(nd.array([0, 1]), shape=5).asnumpy().tolist() == [[0] * 5, [1] * 5]
    with pytest.raises(TypeError, match="all arrays or all numbers"):
        nd.random.normal(low, 1)


def test_like() -> None:
    x = nd.zeros((2, 3), dtype="float64")
    for name in ("uniform", "normal", "exponential", "gamma", "poisson", "negative_binomial"):
        drawn = getattr(nd.random, name + "_like")(x)
        assert (drawn.shape, drawn.dtype) == ((2, 3), np.float64)


def test_defaults_and_types() -> None:
    assert nd.random.uniform().shape == (1,)
    assert nd.random.randn(2, 3).shape == (2, 3)
    assert nd.random.randint(3, 5, shape=(4,)).dtype == np.int32
    assert nd.random.normal(shape=2, dtype="float16").dtype == np.float16
    with pytest.raises(ValueError, match="floats"):
        nd.random.uniform(shape=2, dtype="int32")
    out = nd.zeros((5,))
    assert nd.random.gamma(2, 1, out=out) is out
    assert np.all(out.asnumpy() > 0)


def test_multinomial() -> None:
    weights = nd.array([[0.1, 0.9], [1, 0]])
    nd.random.seed(3)
    drawn = nd.random.multinomial(weights, shape=2000)
    assert (drawn.shape, drawn.dtype) == ((2, 2000), np.int32)
    assert drawn.asnumpy()[0].mean() == pytest.approx(0.9, abs=0.03)
    assert not drawn.asnumpy()[1].any()
    assert nd.random.multinomial(weights).shape == (2,)
    assert nd.random.multinomial(nd.array([0, 1])).asnumpy().tolist() == [1]


def test_probabilities_of_what_was_drawn_have_gradients() -> None:
    weights = nd.array([0.25, 0.75])
    weights.attach_grad()
    with autograd.record():
        place, logarithm = nd.random.multinomial(weights, shape=1, get_prob=True)
    logarithm.backward()
    chosen = int(place.asscalar())
    assert logarithm.asscalar() == pytest.approx(np.log([0.25, 0.75][chosen]), rel=1e-6)
    assert weights.grad.asnumpy()[chosen] == pytest.approx(1 / [0.25, 0.75][chosen], rel=1e-6)
    assert weights.grad.asnumpy()[1 - chosen] == 0


def test_shuffle_moves_whole_rows() -> None:
    nd.random.seed(1)
    rows = nd.array(np.arange(40).reshape(20, 2))
    mixed = nd.random.shuffle(rows).asnumpy()
    assert not np.array_equal(mixed, rows.asnumpy())
    np.testing.assert_array_equal(mixed[mixed[:, 0].argsort()], rows.asnumpy())
