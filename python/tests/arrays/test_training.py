"""Trainers: what is updated, rates, states; metrics."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from forebay import autograd, gluon, lr_scheduler, metric, nd, optimizer
from forebay.gluon import nn


def made_net() -> nn.Dense:
    net = nn.Dense(1, in_units=2)
    net.initialize("ones")
    return net


def backward(net: nn.Dense) -> None:
    with autograd.record():
        value = net(nd.ones((3, 2))).sum()
    value.backward()


def test_a_step_divides_by_the_batch() -> None:
    net = made_net()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    backward(net)
    trainer.step(3)
    assert net.weight.data().asnumpy().tolist() == [[0.5, 0.5]] and net.bias.data().asscalar() == -0.5


def test_stale_gradients() -> None:
    net, unused = made_net(), nn.Dense(1, in_units=1)
    unused.initialize("ones")
    trainer = gluon.Trainer([*net.collect_params().values(), *unused.collect_params().values()], "sgd")
    with pytest.raises(UserWarning, match="has not been written by backward"):
        trainer.step(1)
    backward(net)
    trainer.step(1, ignore_stale_grad=True)
    assert unused.weight.data().asscalar() == 1 and net.bias.data().asscalar() != 0
    before = net.bias.data().asscalar()
    trainer.step(1, ignore_stale_grad=True)
    assert net.bias.data().asscalar() == before


def test_multipliers_and_frozen_parameters() -> None:
    net = made_net()
    net.weight.lr_mult = 0.5
    net.bias.grad_req = "null"
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0, "wd": 1.0})
    backward(net)
    trainer.step(3)
    assert net.weight.data().asnumpy().tolist() == [[0, 0]] and net.bias.data().asscalar() == 0


def test_rates() -> None:
    net = made_net()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    trainer.set_learning_rate(0.3)
    assert trainer.learning_rate == 0.3
    schedule = lr_scheduler.FactorScheduler(2, 0.5)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.4, "lr_scheduler": schedule})
    with pytest.raises(UserWarning, match="lr_scheduler"):
        trainer.set_learning_rate(1)
    for _ in range(3):
        backward(net)
        trainer.step(1)
    assert trainer.learning_rate == 0.2


@pytest.mark.parametrize("name", ["sgd", "nag", "adam", "adagrad", "rmsprop", "adadelta"])
def test_states_go_on(name: str, tmp_path: pathlib.Path) -> None:
    """Training that is interrupted gives the same as training that is not."""
    options = {"momentum": 0.9, "learning_rate": 0.1} if name in ("sgd", "nag") else {}
    whole, first = made_net(), made_net()
    trainer = gluon.Trainer(whole.collect_params(), name, options)
    for _ in range(4):
        backward(whole)
        trainer.step(1)
    trainer = gluon.Trainer(first.collect_params(), name, options)
    for _ in range(2):
        backward(first)
        trainer.step(1)
    path = str(tmp_path / "states")
    trainer.save_states(path)
    trainer = gluon.Trainer(first.collect_params(), name, options)
    trainer.load_states(path)
    for _ in range(2):
        backward(first)
        trainer.step(1)
    assert (first.weight.data().asnumpy() == whole.weight.data().asnumpy()).all()


def test_states_of_something_else(tmp_path: pathlib.Path) -> None:
    net = made_net()
    path = str(tmp_path / "states")
    adam = gluon.Trainer(net.collect_params(), "adam")
    sgd = gluon.Trainer(net.collect_params(), "sgd")
    adam.save_states(path)
    with pytest.raises(ValueError, match="states of Adam, not of SGD"):
        sgd.load_states(path)
    nd.save(path, {"a": nd.ones((1,))})
    with pytest.raises(ValueError, match="not the states of a trainer"):
        sgd.load_states(path)
    nd.save(path, {"optimizer": nd.array(np.frombuffer(b"{]", np.uint8))})
    with pytest.raises(ValueError, match="states"):
        sgd.load_states(path)


def test_what_a_trainer_refuses() -> None:
    net = made_net()
    with pytest.raises(ValueError, match="there is no optimizer 'nothing'"):
        gluon.Trainer(net.collect_params(), "nothing")
    with pytest.raises(ValueError, match="not int"):
        gluon.Trainer([3], "sgd")
    with pytest.raises(AssertionError, match="by name"):
        gluon.Trainer(net.collect_params(), optimizer.SGD(), {"wd": 1})
    with pytest.raises(RuntimeError, match="has not been initialized"):
        gluon.Trainer(nn.Dense(1).collect_params(), "sgd")


def test_metrics() -> None:
    accuracy = metric.create("acc")
    assert np.isnan(accuracy.get()[1])
    accuracy.update(nd.array([0, 1]), nd.array([[0.9, 0.1], [0.8, 0.2]]))
    assert accuracy.get() == ("accuracy", 0.5)
    accuracy.reset_local()
    assert np.isnan(accuracy.get()[1]) and accuracy.get_global() == ("accuracy", 0.5)
    custom = metric.create(lambda label, pred: float(np.abs(label - pred).max()))
    custom.update([nd.array([1, 2])], [nd.array([1, 5])])
    assert custom.get() == ("custom(<lambda>)", 3.0)
    with pytest.raises(ValueError, match="there is no metric"):
        metric.create("nothing")
    with pytest.raises(ValueError, match="length 1, predictions 2"):
        accuracy.update([nd.ones((1,))], [nd.ones((1,)), nd.ones((1,))])
