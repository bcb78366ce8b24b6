"""Writes between an operation and backward(), each way a script can write: refused where the gradient would be wrong."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy
import pytest
from forebay import autograd, gluon, nd, optimizer
from forebay.gluon import nn


def by_view(x: nd.NDArray) -> None:
    x[1:2].detach()[:] = 7


def within_pause(x: nd.NDArray) -> None:
    with autograd.record(), autograd.pause():
        x[:] = 7


def within_record(x: nd.NDArray) -> None:
    with autograd.record():
        x.detach()[:] = 7


def add_in_place(x: nd.NDArray) -> None:
    x += 1


def one_element(x: nd.NDArray) -> None:
    x[1] = 7


def every_other(x: nd.NDArray) -> None:
    x[::2] = 7


def by_index(x: nd.NDArray) -> None:
    x[nd.array([0, 2], dtype="int32")] = 7


def by_mask(x: nd.NDArray) -> None:
    x[x > 1] = 7


def by_out(x: nd.NDArray) -> None:
    nd.exp(x, out=x)


def by_copyto(x: nd.NDArray) -> None:
    nd.zeros(3).copyto(x)


def by_step(x: nd.NDArray) -> None:
    nd.sgd_update(x, nd.ones(3), lr=1.0, out=x)


def by_optimizer(x: nd.NDArray) -> None:
    optimizer.Adam().update(0, x, nd.ones(3), optimizer.Adam().create_state(0, x))


def by_dlpack(x: nd.NDArray) -> None:
    numpy.from_dlpack(nd.from_dlpack(x.to_dlpack_for_write()))[:] = 7


def by_buffer(x: nd.NDArray) -> None:
    io.BytesIO(numpy.full(3, 7, "float32").tobytes()).readinto(x)  # type: ignore[arg-type]


WAYS = [
    by_view, within_pause, within_record, add_in_place, one_element, every_other, by_index, by_mask, by_out, by_copyto,
    by_step, by_optimizer, by_dlpack, by_buffer,
]  # fmt: skip


def variable() -> nd.NDArray:
    x = nd.array([1, 2, 3])
    x.attach_grad()
    return x


@pytest.mark.parametrize("write", WAYS, ids=lambda way: way.__name__)
def test_a_write_of_what_was_saved_is_refused(write: Callable[[nd.NDArray], None]) -> None:
    x = variable()
    with autograd.record():
        y = x * x
    write(x)
    with pytest.raises(RuntimeError, match=r"mul: input 0 \(float 3\) was written in place"):
        y.backward()


@pytest.mark.parametrize("write", WAYS, ids=lambda way: way.__name__)
def test_what_is_only_added_may_be_written(write: Callable[[nd.NDArray], None]) -> None:
    x = variable()
    with autograd.record():
        y = x + x
    write(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 2, 2]


def test_an_older_view_writes_too() -> None:
    x = nd.array([1, 2, 3])
    view = x[0:2]
    x.attach_grad()
    with autograd.record():
        y = x * x
        view[:] = 7
    with pytest.raises(RuntimeError, match="was written in place"):
        y.backward()


def test_reading_is_not_writing() -> None:
    x = variable()
    with autograd.record():
        y = x * x
    before = [x.asnumpy(), numpy.asarray(x), numpy.from_dlpack(x), nd.from_dlpack(x.to_dlpack_for_read()), x.tensor()]
    assert bytes(memoryview(x)) == before[0].tobytes()  # type: ignore[arg-type]
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 4, 6]


def test_a_buffer_may_be_filled_while_a_part_of_it_is_in_use() -> None:
    buffer = nd.zeros((4, 3))
    x = variable()
    losses = []
    for step in range(4):
        buffer[step] = step
        with autograd.record():
            losses.append((x * buffer[step]).sum())
    for step, loss in enumerate(losses):
        loss.backward()
        assert x.grad.asnumpy().tolist() == [step] * 3


def net_and_loss() -> tuple[nn.HybridSequential, gluon.Trainer, Callable[[], nd.NDArray]]:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="sigmoid"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(1))
    net.initialize()
    data = nd.array([[1, 2], [3, 5], [0, 1]])

    def loss() -> nd.NDArray:
        with autograd.record():
            return (net(data) ** 2).sum()

    loss()
    return net, gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9}), loss


def test_training_steps_are_as_before() -> None:
    net, trainer, loss = net_and_loss()
    for _ in range(3):
        first, second = loss(), loss()
        first.backward(retain_graph=True)
        first.backward()
        second.backward()
        trainer.step(3)
    net.collect_params().setattr("grad_req", "add")
    for _ in range(3):
        for _ in range(2):
            loss().backward()
        trainer.step(3)
        net.collect_params().zero_grad()


def test_a_step_between_two_passes_is_refused() -> None:
    _, trainer, loss = net_and_loss()
    made = loss()
    made.backward(retain_graph=True)
    trainer.step(3)
    with pytest.raises(RuntimeError, match=r"FullyConnected: input 1 \(float 1x4\) was written in place"):
        made.backward()


def test_gradients_of_gradients_see_it_too() -> None:
    x = variable()
    with autograd.record():
        y = x * x * x
    (first,) = autograd.grad(y, [x], create_graph=True)
    first.backward(retain_graph=True)
    assert x.grad.asnumpy().tolist() == [6, 12, 18]
    x[:] = 1
    with pytest.raises(RuntimeError, match="was written in place"):
        first.backward()


def test_after_a_refusal_all_goes_on() -> None:
    x = variable()
    with autograd.record():
        y = x * x
    x[:] = 2
    for _ in range(2):
        with pytest.raises(RuntimeError, match="was written in place"):
            y.backward()
    with autograd.record():
        y = x * x
    y.backward()
    assert x.grad.asnumpy().tolist() == [4, 4, 4]


def test_several_dozen_operands_are_told_apart() -> None:
    parts = [nd.array([place]) for place in range(100)]
    x = variable()
    with autograd.record():
        y = nd.concat(*parts, x * x, dim=0)
    for part in parts:
        part[:] = 0
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 4, 6]
