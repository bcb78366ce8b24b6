"""The helpers that scripts of the book "Dive into deep learning" (its edition for `mxnet.nd`) take from ``d2lzh``:
timing, devices, data, and training loops that print an epoch a line. Pictures are not among them."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from forebay.compat import mxnet as mx

Context = Any
Batches = Any


class Timer:
    """Stretches of time, begun by `start` (and by making it) and ended by `stop`."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.start()

    def start(self) -> None:
        self._begin = time.time()

    def stop(self) -> float:
        """Ends a stretch; how long it was, in seconds."""
        self.times.append(time.time() - self._begin)
        return self.times[-1]

    def avg(self) -> float:
        return self.sum() / len(self.times)

    def sum(self) -> float:
        return sum(self.times)


class Benchmark:
    """Prints how long the body of a ``with`` took: "NAME time: 0.1234 sec"."""

    def __init__(self, prefix: str | None = None) -> None:
        self.prefix = f"{prefix} " if prefix else ""

    def __enter__(self) -> Benchmark:
        self._timer = Timer()
        return self

    def __exit__(self, *error: object) -> None:
        print(f"{self.prefix}time: {self._timer.stop():.4f} sec")


# Devices.


def _can_use(context: Context) -> bool:
    try:
        mx.nd.zeros((1,), ctx=context).wait_to_read()
    except RuntimeError:  # MXNet's own error is one
        return False
    return True


def try_gpu() -> Context:
    """The first GPU, or the CPU where there is none."""
    return mx.gpu() if _can_use(mx.gpu()) else mx.cpu()


def try_all_gpus() -> list[Context]:
    """All GPUs, or the CPU where there is none."""
    found: list[Context] = []
    while len(found) < 16 and _can_use(mx.gpu(len(found))):
        found.append(mx.gpu(len(found)))
    return found or [mx.cpu()]


# Linear regression from scratch.


def data_iter(batch_size: int, features: Any, labels: Any) -> Iterator[tuple[Any, Any]]:
    """Batches of the samples in random order."""
    order = list(range(len(features)))
    random.shuffle(order)
    for begin in range(0, len(order), batch_size):
        chosen = mx.nd.array(order[begin : begin + batch_size])
        yield features.take(chosen), labels.take(chosen)


def linreg(X: Any, w: Any, b: Any) -> Any:
    return mx.nd.dot(X, w) + b


def squared_loss(y_hat: Any, y: Any) -> Any:
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params: Sequence[Any], lr: float, batch_size: int) -> None:
    """A step down the gradient of the batch's summed loss."""
    for param in params:
        param[:] = param - lr * param.grad / batch_size


# Classification.


def _on_devices(batch: Any, ctx: Sequence[Context]) -> list[tuple[Any, Any]]:
    """The parts of a batch for each device."""
    features, labels = batch
    parts = (mx.gluon.utils.split_and_load(values, ctx) for values in (features, labels))
    return list(zip(*parts, strict=True))


def _hits(y_hat: Any, y: Any) -> Any:
    """How many classes are right, as an array."""
    return (y_hat.argmax(axis=1) == y.astype("float32")).sum()


def evaluate_accuracy(data_iter: Batches, net: Callable[[Any], Any], ctx: Any = None) -> float:
    """The share of samples whose class the model finds."""
    devices = [mx.cpu()] if ctx is None else ctx if isinstance(ctx, (list, tuple)) else [ctx]
    hits = mx.nd.array([0])
    count = 0
    for batch in data_iter:
        for X, y in _on_devices(batch, devices):
            hits += _hits(net(X), y).copyto(mx.cpu())
            count += y.size
        hits.wait_to_read()
    return float(hits.asscalar() / count)


def _train_epoch(
    net: Callable[[Any], Any], batches: Batches, loss: Callable[..., Any], step: Callable[[int], None], ctx: Context
) -> tuple[float, float]:
    """The mean loss and the accuracy while training on all batches once."""
    losses, hits, count = 0.0, 0.0, 0
    for X, y in batches:
        X, y = X.as_in_context(ctx), y.as_in_context(ctx)
        with mx.autograd.record():
            y_hat = net(X)
            total = loss(y_hat, y).sum()
        total.backward()
        step(y.size)
        losses += total.asscalar()
        hits += _hits(y_hat, y).asscalar()
        count += y.size
    return losses / count, hits / count


def train_ch3(
    net: Callable[[Any], Any],
    train_iter: Batches,
    test_iter: Batches,
    loss: Callable[..., Any],
    num_epochs: int,
    batch_size: int,
    params: Sequence[Any] | None = None,
    lr: float | None = None,
    trainer: Any = None,
) -> None:
    """Trains and prints loss and accuracies; by `sgd` on ``params`` without a trainer."""

    def step(count: int) -> None:
        if trainer is not None:
            trainer.step(batch_size)
        elif params is not None and lr is not None:
            sgd(params, lr, batch_size)

    for epoch in range(1, num_epochs + 1):
        mean, accuracy = _train_epoch(net, train_iter, loss, step, mx.cpu())
        tested = evaluate_accuracy(test_iter, net)
        print(f"epoch {epoch}, loss {mean:.4f}, train acc {accuracy:.3f}, test acc {tested:.3f}")


def train_ch5(
    net: Callable[[Any], Any],
    train_iter: Batches,
    test_iter: Batches,
    batch_size: int,
    trainer: Any,
    ctx: Context,
    num_epochs: int,
) -> None:
    """Trains by softmax cross entropy and prints loss, accuracies and time."""
    print("training on", ctx)
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    for epoch in range(1, num_epochs + 1):
        timer = Timer()
        mean, accuracy = _train_epoch(net, train_iter, loss, trainer.step, ctx)
        tested = evaluate_accuracy(test_iter, net, ctx)
        print(
            f"epoch {epoch}, loss {mean:.4f}, train acc {accuracy:.3f}, test acc {tested:.3f},"
            f" time {timer.stop():.1f} sec"
        )


def load_data_fashion_mnist(
    batch_size: int,
    resize: int | None = None,
    root: str = os.path.join("~", ".mxnet", "datasets", "fashion-mnist"),
) -> tuple[Any, Any]:
    """Batches for training (shuffled) and testing, from the files in ``root``: nothing is downloaded."""
    transforms = mx.gluon.data.vision.transforms
    steps = ([transforms.Resize(resize)] if resize else []) + [transforms.ToTensor()]
    to_tensor = transforms.Compose(steps)
    folder = os.path.expanduser(root)

    def batches(train: bool) -> Any:
        images = mx.gluon.data.vision.FashionMNIST(root=folder, train=train)
        return mx.gluon.data.DataLoader(images.transform_first(to_tensor), batch_size, shuffle=train)

    return batches(True), batches(False)


def get_fashion_mnist_labels(labels: Sequence[float]) -> list[str]:
    """The names of classes by number."""
    names = ("t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
    return [names[int(label)] for label in labels]


def corr2d(X: Any, K: Any) -> Any:
    """The correlation of a matrix with a window, element by element."""
    height, width = K.shape
    Y = mx.nd.zeros((X.shape[0] - height + 1, X.shape[1] - width + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + height, j : j + width] * K).sum()
    return Y


def __getattr__(name: str) -> Any:
    raise AttributeError(f"{__name__}.{name} is not among the helpers that Forebay offers")
