"""Forebay's arrays, network and all by functions of `nd`."""

import contender
import forebay
from forebay import autograd, nd
from forebay._core import ArrayOperations

ENVIRONMENT = "forebay"
PARAMETERS = ((6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 256), (120,), (84, 120), (84,), (10, 84), (10,))


def lenet(row):
    batch, activation = row["batch"], row["activation"]
    parameters = [nd.random.normal(0, 0.1, shape=shape) for shape in PARAMETERS]
    for parameter in parameters:
        parameter.attach_grad()
    data = nd.random.normal(shape=(batch, 1, 28, 28))
    label = nd.array([i % 10 for i in range(batch)])

    def network(x):
        w = iter(parameters)
        for filters in (6, 16):
            x = nd.Convolution(x, next(w), next(w), kernel=(5, 5), num_filter=filters)
            x = nd.Pooling(nd.Activation(x, activation), (2, 2), "max", stride=(2, 2))
        for units in (120, 84):
            x = nd.Activation(nd.FullyConnected(x, next(w), next(w), units), activation)
        return nd.FullyConnected(x, next(w), next(w), 10)

    def step():
        with autograd.record():
            loss = ArrayOperations.softmax_cross_entropy(network(data), label, -1)
        loss.backward()
        for parameter in parameters:
            nd.sgd_update(parameter, parameter.grad, lr=0.01, rescale_grad=1 / batch, out=parameter)

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
    contender.repeated(lambda row: kinds[row["kind"]](row), lambda: {"forebay": forebay.__version__})
