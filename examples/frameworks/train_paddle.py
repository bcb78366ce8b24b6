"""Trains a small network in PaddlePaddle on pictures that a pipeline reads: the iterator gives Paddle's tensors.

    python examples/frameworks/train_paddle.py [FOLDER] [--epochs N]
"""

import paddle
from photo_pipeline import arguments_of, pictures, report

from forebay.plugin.paddle import DALIClassificationIterator, LastBatchPolicy


def small_network(classes):
    return paddle.nn.Sequential(
        paddle.nn.Conv2D(3, 16, 5, stride=2), paddle.nn.ReLU(), paddle.nn.Conv2D(16, 32, 3, stride=2), paddle.nn.ReLU(),
        paddle.nn.AdaptiveAvgPool2D(1), paddle.nn.Flatten(), paddle.nn.Linear(32, classes),
    )


def main():
    folder, classes, epochs = arguments_of(__doc__)
    paddle.seed(1)
    batches = DALIClassificationIterator(pictures(folder, "CHW"), reader_name="reader", squeeze_labels=True,
                                         auto_reset=True, last_batch_policy=LastBatchPolicy.PARTIAL)
    network = small_network(classes)
    optimizer = paddle.optimizer.Adam(0.003, parameters=network.parameters())
    for epoch in range(1, epochs + 1):
        steps = []
        for (batch,) in batches:
            scores = network(batch["data"])
            loss = paddle.nn.functional.cross_entropy(scores, batch["label"])
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            right = (scores.argmax(axis=1) == batch["label"]).sum()
            steps.append((len(batch["label"]), loss, right))
        report(epoch, steps)


if __name__ == "__main__":
    main()
