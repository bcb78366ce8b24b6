"""The experiments, written for MXNet: `mx` is MXNet itself or what has its names."""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import resident

Figures = dict[str, float]
BATCH_SIZE = 1024


def now_ms() -> float:
    return time.perf_counter() * 1e3


def medians(once: Callable[[], Figures], seconds: float) -> Figures:
    """Of each figure, from as many repetitions as the time allows after a first one that warms up."""
    once()
    found = [once()]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        found.append(once())
    return {name: statistics.median(figures[name] for figures in found) for name in found[0]}


def product(mx: Any, row: dict[str, Any]) -> Callable[[], Figures]:
    """dot() of a matrix with itself and one of the ways to wait for it."""
    nd = mx.nd
    x = nd.random.uniform(shape=(row["side"], row["side"]))
    x.wait_to_read()
    enqueue: dict[str, Callable[[], Any]] = {
        "printed": lambda: nd.dot(x, x).sum(),
        "wait_to_read": lambda: nd.dot(x, x),
        "waitall": lambda: (nd.dot(x, x), nd.dot(x, x)),
        "asnumpy": lambda: nd.dot(x, x),
        "asscalar": lambda: nd.dot(x, x).norm(),
    }
    finish: dict[str, Callable[[Any], Any]] = {
        "printed": str,
        "wait_to_read": lambda y: y.wait_to_read(),
        "waitall": lambda _: nd.waitall(),
        "asnumpy": lambda y: y.asnumpy(),
        "asscalar": lambda y: y.asscalar(),
    }

    def once() -> Figures:
        begun = now_ms()
        y = enqueue[row["way"]]()
        enqueued = now_ms()
        finish[row["way"]](y)
        return {"finish_ms": now_ms() - begun, "enqueue_ms": enqueued - begun}

    return once


def additions(mx: Any, row: dict[str, Any]) -> Callable[[], Figures]:
    """y = x + 1, waited for each time or once for all."""
    x = mx.nd.ones(tuple(row["shape"]))
    x.wait_to_read()

    def once() -> Figures:
        begun = now_ms()
        for _ in range(row["count"]):
            y = x + 1
            if row["waits"]:
                y.wait_to_read()
        enqueued = now_ms()
        mx.nd.waitall()
        return {"finish_ms": now_ms() - begun, "enqueue_ms": enqueued - begun}

    return once


def copies(mx: Any, row: dict[str, Any]) -> Callable[[], Figures]:
    """Products, copies of them, and products with a copy of each behind them."""
    nd = mx.nd
    x = nd.random.uniform(shape=(row["side"], row["side"]))
    nd.waitall()

    def run() -> list[Any]:
        return [nd.dot(x, x) for _ in range(row["count"])]

    def copy(ys: list[Any]) -> list[Any]:
        return [y.copyto(mx.cpu()) for y in ys]

    def timed(work: Callable[[], Any]) -> tuple[float, Any]:
        begun = now_ms()
        result = work()
        nd.waitall()
        return now_ms() - begun, result

    def once() -> Figures:
        alone, ys = timed(run)
        copying, _ = timed(lambda: copy(ys))
        both, _ = timed(lambda: copy(run()))
        return {"both_ms": both, "cpu_ms": alone, "copies_ms": copying, "times_the_longer": both / max(alone, copying)}

    return once


class Perceptron:
    """The network, its loss and its trainer."""

    def __init__(self, mx: Any) -> None:
        gluon, nn = mx.gluon, mx.gluon.nn
        self.autograd = mx.autograd
        self.net = nn.Sequential()
        self.net.add(nn.Dense(2048, activation="relu"), nn.Dense(512, activation="relu"), nn.Dense(1))
        self.net.initialize()
        self.trainer = gluon.Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.005})
        self.loss = gluon.loss.L2Loss()

    def infer(self, x: Any, _: Any, waits: bool) -> None:
        output = self.net(x)
        if waits:
            output.wait_to_read()

    def train(self, x: Any, y: Any, waits: bool) -> None:
        with self.autograd.record():
            loss = self.loss(y, self.net(x))
        if waits:
            loss.mean().asscalar()
        loss.backward()
        self.trainer.step(x.shape[0])


def batches(mx: Any, row: dict[str, Any]) -> Figures:
    """The perceptron over batches that are made as they are asked for: time, and resident memory above a first one."""
    nd = mx.nd

    def data(count: int) -> Iterator[tuple[Any, Any]]:
        shape = (BATCH_SIZE, row["columns"])
        for _ in range(count):
            yield nd.ones(shape) if row["ones"] else nd.random.normal(shape=shape), nd.ones((BATCH_SIZE,))

    perceptron = Perceptron(mx)
    step = perceptron.train if row["trained"] else perceptron.infer
    step(*next(data(1)), True)
    nd.waitall()
    before = resident.restart()
    begun = now_ms()
    for x, y in data(row["batches"]):
        step(x, y, row["waits"])
    enqueued = now_ms()
    nd.waitall()
    finished = now_ms()
    peak, kept = resident.peak_mib(), resident.now_mib()
    return {"peak_mib": peak - before, "kept_mib": kept - before, "peak_rss_mib": peak,
            "finish_ms": finished - begun, "enqueue_ms": enqueued - begun}


def measure(mx: Any, task: dict[str, Any]) -> Figures:
    row = task["row"]
    if row["kind"] == "batches":
        return batches(mx, row)
    experiment = {"product": product, "additions": additions, "copies": copies}[row["kind"]]
    return medians(experiment(mx, row), task["seconds"])
