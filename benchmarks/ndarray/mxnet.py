"""MXNet 1.9.1: its threads are as many as the row's, its network is hybridized with static memory."""

import os
import sys

import contender

ENVIRONMENT = "mxnet"
if len(sys.argv) > 1:  # before the import reads it
    os.environ["OMP_NUM_THREADS"] = str(contender.read_task()["row"]["threads"])

import mxnet  # noqa: E402
from mxnet import autograd, gluon, nd  # noqa: E402
from mxnet.gluon import nn  # noqa: E402


def lenet(row):
    activation, batch = row["activation"], row["batch"]
    network = nn.HybridSequential()
    network.add(nn.Conv2D(6, 5, activation=activation), nn.MaxPool2D(2, 2),
                nn.Conv2D(16, 5, activation=activation), nn.MaxPool2D(2, 2),
                nn.Dense(120, activation=activation), nn.Dense(84, activation=activation), nn.Dense(10))
    network.initialize(mxnet.init.Normal(0.1))
    network.hybridize(static_alloc=True, static_shape=True)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(network.collect_params(), "sgd", {"learning_rate": 0.01})
    data = nd.random.normal(shape=(batch, 1, 28, 28))
    label = nd.array([i % 10 for i in range(batch)])

    def step():
        with autograd.record():
            loss = loss_of(network(data), label)
        loss.backward()
        trainer.step(batch)

    return step, nd.waitall, lambda seconds, cpu: {"steps_per_second": 1 / seconds, "steps_per_cpu_second": 1 / cpu}


def dot(row):
    size = row["size"]
    a = nd.random.uniform(shape=(size, size))
    b = nd.random.uniform(shape=(size, size))
    flop = 2e-9 * size**3
    return (lambda: nd.dot(a, b)), nd.waitall, lambda seconds, cpu: {
        "gflop_per_second": flop / seconds, "gflop_per_cpu_second": flop / cpu}


def call(row):
    x = nd.ones((4,))
    return (lambda: x + 1), nd.waitall, lambda seconds, cpu: {"call_ns": seconds * 1e9}


if __name__ == "__main__":
    kinds = {"lenet": lenet, "dot": dot, "call": call}
    contender.repeated(lambda row: kinds[row["kind"]](row), lambda: {"mxnet": mxnet.__version__})
