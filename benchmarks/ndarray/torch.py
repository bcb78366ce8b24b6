"""PyTorch, eagerly."""

import contender
import torch
from torch import nn

ENVIRONMENT = "torch"
ACTIVATIONS = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid}


def lenet(row):
    activation, batch = ACTIVATIONS[row["activation"]], row["batch"]
    network = nn.Sequential(nn.Conv2d(1, 6, 5), activation(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), activation(),
                            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 120), activation(), nn.Linear(120, 84),
                            activation(), nn.Linear(84, 10))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    data = torch.randn(batch, 1, 28, 28)
    label = torch.arange(batch) % 10

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(data), label).backward()
        optimizer.step()

    return step, lambda: None, lambda seconds, cpu: {"steps_per_second": 1 / seconds, "steps_per_cpu_second": 1 / cpu}


def dot(row):
    size = row["size"]
    a = torch.rand(size, size)
    b = torch.rand(size, size)
    flop = 2e-9 * size**3
    return (lambda: a @ b), lambda: None, lambda seconds, cpu: {
        "gflop_per_second": flop / seconds, "gflop_per_cpu_second": flop / cpu}


def call(row):
    x = torch.ones(4)
    return (lambda: x + 1), lambda: None, lambda seconds, cpu: {"call_ns": seconds * 1e9}


def prepare(row):
    torch.set_num_threads(row["threads"])
    return {"lenet": lenet, "dot": dot, "call": call}[row["kind"]](row)


if __name__ == "__main__":
    contender.repeated(prepare, lambda: {"torch": torch.__version__})
