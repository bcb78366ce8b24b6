"""What networks are made of, from Python: training goes on, arguments are checked, results do not depend on chance."""

from __future__ import annotations

import numpy as np
import pytest

from forebay import autograd, nd


def test_a_small_network_learns_what_it_is_shown() -> None:
    nd.random.seed(3)
    shapes = [(4, 1, 3, 3), (4,), (16, 36), (16,), (2, 16), (2,)]
    parameters = [nd.random.normal(0, 0.2, shape=shape) for shape in shapes]
    momenta = [nd.zeros(shape) for shape in shapes]
    for parameter in parameters:
        parameter.attach_grad()
    numbers = np.random.default_rng(1)
    images = numbers.normal(size=(64, 1, 8, 8)).astype("float32")
    labels = (images[:, 0, :4].sum((1, 2)) > images[:, 0, 4:].sum((1, 2))).astype("float32")
    data, label = nd.array(images), nd.array(labels)

    def network(x: nd.NDArray) -> nd.NDArray:
        w = iter(parameters)
        x = nd.Activation(nd.Convolution(x, next(w), next(w), kernel=(3, 3), num_filter=4), "tanh")
        x = nd.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="avg")
        x = nd.Activation(nd.FullyConnected(x, next(w), next(w), 16), "relu")
        return nd.FullyConnected(x, next(w), next(w), 2)

    for _ in range(60):
        with autograd.record():
            loss = nd.softmax_cross_entropy(network(data), label)
        loss.backward()
        for parameter, momentum in zip(parameters, momenta):
            nd.sgd_mom_update(
                parameter, parameter.grad, momentum, lr=0.2, momentum=0.9, rescale_grad=1 / 64, out=parameter
            )
    found = network(data).asnumpy().argmax(1)
    assert (found == labels).mean() > 0.95


def test_dropout_drops_while_training_alone() -> None:
    x = nd.ones((1000,))
    assert (nd.Dropout(x).asnumpy() == 1).all()
    with autograd.train_mode():
        values = set(nd.Dropout(x, p=0.75).asnumpy().tolist())
    assert values == {0.0, 4.0}
    assert set(nd.Dropout(x, p=0.5, mode="always").asnumpy().tolist()) == {0.0, 2.0}


def test_moving_statistics_are_updated_in_place() -> None:
    x = nd.array([[1.0, 10.0], [3.0, 30.0]])
    x.attach_grad()
    gamma, beta = nd.ones((2,)), nd.zeros((2,))
    mean, var = nd.zeros((2,)), nd.ones((2,))
    with autograd.record():
        y = nd.BatchNorm(x, gamma, beta, mean, var, momentum=0.5)
    assert isinstance(y, nd.NDArray)
    y.backward()
    assert mean.asnumpy().tolist() == [1.0, 10.0]
    assert var.asnumpy().tolist() == [1.0, 50.5]


def test_weights_are_shared_by_views_of_them() -> None:
    both = nd.ones((2, 3))
    weight = both[1]
    nd.sgd_update(weight, nd.ones((3,)), lr=0.5, out=weight)
    assert both.asnumpy().tolist() == [[1, 1, 1], [0.5, 0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: nd.Convolution(x, nd.ones((2, 3, 3, 3)), kernel=(3, 3), num_filter=2), "no_bias"),
        (lambda x: nd.Convolution(x, nd.ones((2, 3, 3, 3)), no_bias=True, layout="NHWC"), "NHWC"),
        (lambda x: nd.Convolution(x, nd.ones((2, 2, 3, 3)), no_bias=True), "the weight is"),
        (lambda x: nd.Pooling(x, (9, 9)), "does not fit"),
        (lambda x: nd.Pooling(x, (2, 2), pool_type="median"), "median"),
        (lambda x: nd.Activation(x, "step"), "step"),
        (lambda x: nd.FullyConnected(x, nd.ones((2, 7)), no_bias=True), "FullyConnected"),
        (lambda x: nd.softmax(x, axis=7), "axis 7"),
        (lambda x: nd.Activation(x.astype("int32"), "tanh"), "float32"),
        (lambda x: nd.Dropout(x, p=1.0, mode="always"), "Dropout"),
        (lambda x: nd.adam_update(x, x, x, x, lr=0.1, out=x), "share no memory"),
        (lambda x: nd.sgd_update(x, nd.ones((2,)), lr=0.1), "sgd_update"),
    ],
)
def test_what_does_not_fit_is_said_at_the_call(call: object, message: str) -> None:
    with pytest.raises(Exception, match=message):
        call(nd.ones((2, 3, 5, 5)))  # type: ignore[operator]
