"""Trains a small network in MXNet's Gluon on pictures of a pipeline: MXNet takes the iterator's arrays by DLPack.

    python examples/frameworks/train_mxnet.py FOLDER [--epochs N]

MXNet 1.9 needs NumPy 1.23. Without MXNet the same script trains through Forebay's own arrays:
`python -m forebay.compat examples/frameworks/train_mxnet.py FOLDER`.
"""

import mxnet
from mxnet import autograd, gluon
from photo_pipeline import arguments_of, pictures, report

from forebay.plugin.mxnet import DALIGluonIterator, LastBatchPolicy


def small_network(classes):
    network = gluon.nn.HybridSequential()
    network.add(gluon.nn.Conv2D(16, 5, strides=2, activation="relu"))
    network.add(gluon.nn.Conv2D(32, 3, strides=2, activation="relu"))
    network.add(gluon.nn.GlobalAvgPool2D(), gluon.nn.Dense(classes))
    network.initialize(mxnet.init.Xavier())
    network.hybridize()
    return network


def main():
    folder, classes, epochs = arguments_of(__doc__)
    mxnet.random.seed(1)
    batches = DALIGluonIterator(pictures(folder, "CHW"), reader_name="reader", auto_reset=True,
                                last_batch_policy=LastBatchPolicy.PARTIAL)
    network = small_network(classes)
    trainer = gluon.Trainer(network.collect_params(), "adam", {"learning_rate": 0.003})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    for epoch in range(1, epochs + 1):
        steps = []
        for (batch,) in batches:
            images, labels = (mxnet.nd.from_dlpack(array.__dlpack__()) for array in batch)
            with autograd.record():
                scores = network(images)
                losses = loss_of(scores, labels)
            losses.backward()
            trainer.step(len(labels))
            right = (scores.argmax(axis=1) == labels.reshape(-1).astype("float32")).sum()
            steps.append((len(labels), losses.mean().asscalar(), right.asscalar()))
        report(epoch, steps)


if __name__ == "__main__":
    main()
