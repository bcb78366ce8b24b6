"""Trains a small detector (SSD) on a Forebay pipeline with Forebay's own arrays, to a stated mean average precision.

    python examples/detect_shapes.py [--out FOLDER] [--epochs N] [--photos N] [--threads N] [--precision P]

The data set is made: pictures of discs, squares and triangles, of which one in five more is for the test. The pipeline
reads COCO's annotations, crops so that boxes stay, mirrors, and matches the boxes with the detector's anchors; boxes
and masks go through the same. Leaves in --out (demo/) a contact sheet of one batch with both drawn. Ends with 1 when the
mean average precision on the test pictures, at an overlap of one half, is below --precision (0.8).
"""

import argparse
import pathlib
import sys
import time

import numpy as np
from detection_score import boxes_of, mean_average_precision
from make_shapes import SHAPES, make_shapes
from shape_batches import ANCHORS, BATCH, CELLS, MEAN, RATIOS, STD, STDS, pictures
from shape_sheet import shape_sheet

from forebay import autograd, gluon, init, nd
from forebay.gluon import nn


class Detector(nn.HybridBlock):
    """Three maps, each with a score for every class and four offsets of every anchor."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.HybridSequential()
        for channels in (16, 32, 48):
            self.trunk.add(self.convolution(channels), nn.MaxPool2D(pool_size=2, strides=2))
        self.trunk.add(self.convolution(48))
        self.next = nn.HybridSequential()
        self.scores, self.offsets = nn.HybridSequential(), nn.HybridSequential()
        for place in range(len(CELLS)):
            if place:
                step = nn.HybridSequential()
                step.add(nn.MaxPool2D(pool_size=2, strides=2), self.convolution(48))
                self.next.add(step)
            self.scores.add(nn.Conv2D((len(SHAPES) + 1) * len(RATIOS), kernel_size=3, padding=1))
            self.offsets.add(nn.Conv2D(4 * len(RATIOS), kernel_size=3, padding=1))

    @staticmethod
    def convolution(channels):
        return nn.Conv2D(channels, kernel_size=3, padding=1, activation="relu")

    def forward(self, images):
        found = self.trunk(images)
        scores, offsets = [], []
        for place in range(len(CELLS)):
            found = self.next[place - 1](found) if place else found
            for made, head, width in ((scores, self.scores, len(SHAPES) + 1), (offsets, self.offsets, 4)):
                made.append(nd.transpose(head[place](found), axes=(0, 2, 3, 1)).reshape((found.shape[0], -1, width)))
        return nd.concat(*scores, dim=1), nd.concat(*offsets, dim=1)


def loss_of(scores, offsets, targets, classes):
    """Of anchors with a box: how wrong class and offsets are; of the others the class alone, three for each of them."""
    has_box = classes > 0
    count = nd.sum(has_box)
    others = 1 - has_box
    weight = has_box + others * (3 * count / nd.sum(others))
    wrong = -nd.pick(nd.log_softmax(scores, axis=-1), classes, axis=-1) * weight
    away = nd.sum(nd.smooth_l1(offsets - targets, scalar=1.0), axis=-1) * has_box
    return (nd.sum(wrong) + nd.sum(away)) / count


def untrained(seed):
    nd.random.seed(seed)
    net = Detector()
    net.initialize(init.Xavier())
    return net


def train(net, next_batch, batches, epochs):
    """`next_batch()` gives a batch of shape_batches.pictures as arrays, `batches` of them an epoch."""
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.003})
    for epoch in range(epochs):
        begun = time.perf_counter()
        if epoch == epochs * 3 // 4:
            trainer.set_learning_rate(0.001)
        total = nd.zeros(1)
        for _ in range(batches):
            images, targets, classes = next_batch()
            with autograd.record():
                loss = loss_of(*net(images), targets, classes.astype("float32"))
            loss.backward()
            trainer.step(1)
            total = total + loss
        print(f"epoch {epoch + 1:2}: loss {(total / batches).asscalar():.3f}, {time.perf_counter() - begun:.1f} s", flush=True)


def test(net, pipe, samples):
    """The mean average precision over all test pictures."""
    found, known = [], []
    while len(known) < samples:
        images, boxes, labels, _ = pipe.run()
        batch = nd.array(np.stack([np.array(images.at(i)) for i in range(BATCH)]))
        scores, offsets = net(batch)
        chances = nd.softmax(scores, axis=-1).asnumpy()
        for i, moved in enumerate(offsets.asnumpy() * np.float32(STDS)):
            found.append(boxes_of(ANCHORS, moved, chances[i]))
            known.append((np.array(boxes.at(i)), np.array(labels.at(i))))
    return mean_average_precision(found[:samples], known[:samples], len(SHAPES))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"))
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--photos", type=int, default=640)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--precision", type=float, default=0.8)
    arguments = parser.parse_args()
    options = {"num_threads": arguments.threads} if arguments.threads else {}
    folders = [arguments.out / "shapes" / part for part in ("train", "test")]
    make_shapes(folders[0], arguments.photos)
    tested = arguments.photos // 5
    make_shapes(folders[1], tested, first=arguments.photos)
    shape_sheet(pictures(folders[0], True, shows=True, **options).run(), arguments.out / "shapes.png", MEAN, STD)
    print(f"see {arguments.out}/shapes.png")
    net = untrained(seed=1)
    train(net, pictures(folders[0], True, **options).run_arrays, arguments.photos // BATCH, arguments.epochs)
    precision = test(net, pictures(folders[1], False, shows=True, **options), tested)
    outcome = "reached" if precision >= arguments.precision else "not reached"
    print(f"mean average precision on {tested} test pictures: {precision:.3f}, {arguments.precision} is {outcome}")
    return 0 if precision >= arguments.precision else 1


if __name__ == "__main__":
    sys.exit(main())
