"""Trains a small convolutional network on a Forebay pipeline with Forebay's own arrays, to a stated accuracy.

    python examples/train_arrays.py [FOLDER] [--epochs N] [--photos N] [--threads N] [--accuracy A]

FOLDER holds one folder a class; without it a data set is made: photo-like pictures of eight textures, of which one in
four is kept for the test. The pipeline's batches come as arrays that are not there yet, so the loop waits for nothing
but the numbers that it prints. Ends with 1 when the accuracy on the test pictures is below --accuracy (0.8). With what
is made it takes some 15 seconds of one core.
"""

import argparse
import pathlib
import sys
import tempfile
import time

from make_photos import make_photos

import forebay
from forebay import autograd, fn, gluon, init, metric, nd, pipeline_def, types
from forebay.gluon import nn

SIZE = 64
BATCH = 32


@pipeline_def(batch_size=BATCH, seed=1)
def pictures(files, labels, is_training):
    encoded, label = fn.readers.file(files=files, labels=labels, random_shuffle=is_training, name="reader")
    images = fn.resize(fn.decoders.image(encoded), size=(SIZE, SIZE), antialias=True)
    mirror = fn.random.coin_flip() if is_training else 0
    images = fn.crop_mirror_normalize(images, mirror=mirror, dtype=types.FLOAT, output_layout="CHW", mean=[128.0] * 3,
                                      std=[64.0] * 3)
    return images, label


def network(classes):
    net = nn.HybridSequential()
    for channels in (16, 32, 32):
        net.add(nn.Conv2D(channels, kernel_size=3, padding=1, activation="relu"))
        net.add(nn.MaxPool2D(pool_size=2, strides=2))
    net.add(nn.Dense(64, activation="relu"), nn.Dense(classes))
    net.initialize(init.Xavier())
    return net


def split(folder):
    """(files, labels) to train on and to test on, and the number of classes."""
    parts = ([], []), ([], [])
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    for label, path in enumerate(folders):
        for place, file in enumerate(sorted(path.iterdir())):
            files, labels = parts[place % 4 == 3]
            files.append(str(file))
            labels.append(label)
    return (*parts, len(folders))


def train_epoch(net, trainer, pipe, batches):
    """The mean loss, still being computed."""
    softmax = gluon.loss.SoftmaxCrossEntropyLoss()
    total = nd.zeros(1)
    for _ in range(batches):
        images, labels = pipe.run_arrays()
        with autograd.record():
            loss = softmax(net(images), labels.reshape(-1).astype("float32"))
        loss.backward()
        trainer.step(BATCH)
        total = total + loss.mean()
    return total / batches


def accuracy_on(net, pipe, samples):
    right = metric.Accuracy()
    for begin in range(0, samples, BATCH):
        images, labels = pipe.run_arrays()
        count = min(BATCH, samples - begin)
        right.update([labels.reshape(-1)[:count]], [net(images)[:count]])
    return right.get()[1]


def run(folder, arguments):
    train, test, classes = split(folder)
    options = {"num_threads": arguments.threads} if arguments.threads else {}
    train_pipe = pictures(*train, True, **options)
    batches = len(train[0]) // BATCH
    net = network(classes)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.002})
    for epoch in range(arguments.epochs):
        begun = time.perf_counter()
        loss = train_epoch(net, trainer, train_pipe, batches)
        enqueued = time.perf_counter() - begun
        print(f"epoch {epoch + 1:2}: loss {loss.asscalar():.3f}, enqueued after {enqueued:.2f} s, done after "
              f"{time.perf_counter() - begun:.2f} s", flush=True)
    accuracy = accuracy_on(net, pictures(*test, False, **options), len(test[0]))
    outcome = "reached" if accuracy >= arguments.accuracy else "not reached"
    print(f"accuracy on {len(test[0])} test pictures: {accuracy:.3f}, {arguments.accuracy} is {outcome}")
    return accuracy


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--photos", type=int, default=512)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--accuracy", type=float, default=0.8)
    arguments = parser.parse_args()
    nd.random.seed(1)
    with tempfile.TemporaryDirectory() as made:
        folder = arguments.folder
        if folder is None:
            folder = pathlib.Path(made)
            make_photos(folder, arguments.photos)
        copied = forebay.bytes_copied()
        accuracy = run(folder, arguments)
        print(f"bytes copied: {(forebay.bytes_copied() - copied) / 1e6:.1f} MB")
    return 0 if accuracy >= arguments.accuracy else 1


if __name__ == "__main__":
    sys.exit(main())
