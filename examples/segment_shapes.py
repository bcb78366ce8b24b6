"""Trains a small network that segments pictures on a Forebay pipeline, with Forebay's own arrays, to a stated overlap.

    python examples/segment_shapes.py [--out FOLDER] [--epochs N] [--photos N] [--threads N] [--overlap P]

The data set is made: pictures of discs, squares and triangles, of which one in five more is for the test. The pipeline
reads COCO's annotations with a mask for each picture, and crops, mirrors and turns pictures, masks and boxes alike.
Leaves in --out (demo/) a contact sheet of one batch with masks and boxes drawn. Ends with 1 when the mean intersection
over union of the ground and the shapes on the test pictures is below --overlap (0.65).
"""

import argparse
import pathlib
import sys
import time

import numpy as np
from make_shapes import SHAPES, make_shapes
from shape_sheet import shape_sheet

from forebay import autograd, fn, gluon, init, nd, pipeline_def, types
from forebay.gluon import nn

SIZE = 64
BATCH = 32
CLASSES = len(SHAPES) + 1  # and the ground
WIDTHS = (24, 48, 64)  # channels, from the half size to the eighth
SHAPE_WEIGHT = 2
MEAN, STD = 128.0, 64.0


@pipeline_def(batch_size=BATCH, seed=1)
def pictures(folder, is_training, shows=False):
    """Images with their masks; or, to show, with boxes and labels between them."""
    encoded, boxes, labels, masks = fn.readers.coco(
        file_root=str(folder), annotations_file=str(folder / "annotations.json"), ltrb=True, ratio=True,
        pixelwise_masks=True, random_shuffle=is_training, name="reader")
    images = fn.decoders.image(encoded)
    masks = fn.cast(masks, dtype=types.UINT8)
    if is_training:
        start, extent, boxes, labels = fn.random_bbox_crop(
            boxes, labels, aspect_ratio=[0.6, 1.7], scaling=[0.6, 1.0], thresholds=[0.0, 0.3], num_attempts=20,
            total_num_attempts=200, bbox_layout="xyXY", all_boxes_above_threshold=False)
        mirror = fn.random.coin_flip()
        images, masks = (fn.flip(fn.slice(data, start, extent), horizontal=mirror) for data in (images, masks))
        angle = fn.random.uniform(range=[-25.0, 25.0])
        boxes, labels = fn.bbox_rotate(fn.bb_flip(boxes, ltrb=True, horizontal=mirror), labels, angle=angle,
                                       input_shape=images.shape(), keep_size=True)
        images = fn.rotate(images, angle=angle, keep_size=True, fill_value=MEAN)
        masks = fn.rotate(masks, angle=angle, keep_size=True, fill_value=0.0, interp_type=types.INTERP_NN)
        images = fn.color_twist(images, brightness=fn.random.uniform(range=[0.8, 1.2]))
    images = fn.resize(images, size=(SIZE, SIZE), antialias=True)
    images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="CHW", mean=[MEAN] * 3, std=[STD] * 3)
    masks = fn.resize(masks, size=(SIZE, SIZE), interp_type=types.INTERP_NN)
    return (images, boxes, labels, masks) if shows else (images, masks)


def convolutions(channels):
    """Two layers at one size."""
    layers = nn.HybridSequential()
    for _ in range(2):
        layers.add(nn.Conv2D(channels, kernel_size=3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
    return layers


class Segmenter(nn.HybridBlock):
    """A U-Net (Ronneberger et al., 2015): down to an eighth of the size, and up again beside what was seen there. It
    begins and ends at half the size."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2D(WIDTHS[0], kernel_size=4, strides=2, padding=1, activation="relu")
        self.down, self.up = nn.HybridSequential(), nn.HybridSequential()
        for channels in WIDTHS:
            self.down.add(convolutions(channels))
        for channels in WIDTHS[-2::-1]:
            self.up.add(convolutions(channels))
        self.halve = nn.MaxPool2D(pool_size=2, strides=2)
        self.scores = nn.Conv2D(CLASSES, kernel_size=1)

    def forward(self, images):
        seen = [self.down[0](self.first(images))]
        for place in range(1, len(WIDTHS)):
            seen.append(self.down[place](self.halve(seen[-1])))
        found = seen.pop()
        for place in range(len(WIDTHS) - 1):
            wider = nd.UpSampling(found, scale=2, sample_type="nearest")
            found = self.up[place](nd.concat(wider, seen.pop(), dim=1))
        return nd.UpSampling(self.scores(found), scale=2, sample_type="nearest")


def loss_of(scores, masks):
    """How unlikely the right class of each pixel was held, on average; pixels of shapes, which are few, count more."""
    classes = masks.astype("float32").reshape((-1, SIZE, SIZE))
    weights = 1 + (SHAPE_WEIGHT - 1) * (classes > 0)
    right = nd.pick(nd.log_softmax(scores, axis=1), classes, axis=1)
    return -nd.sum(right * weights) / nd.sum(weights)


def train(net, pipe, batches, epochs):
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.004})
    for epoch in range(epochs):
        begun = time.perf_counter()
        if epoch == epochs * 3 // 4:
            trainer.set_learning_rate(0.002)
        total = nd.zeros(1)
        for _ in range(batches):
            images, masks = pipe.run_arrays()
            with autograd.record():
                loss = loss_of(net(images), masks)
            loss.backward()
            trainer.step(1)
            total = total + loss
        taken = time.perf_counter() - begun
        print(f"epoch {epoch + 1:2}: loss {(total / batches).asscalar():.3f}, {taken:.1f} s", flush=True)


def mean_overlap(net, pipe, samples):
    """Intersection over union of each class on all test pictures, and their mean."""
    counts = np.zeros((CLASSES, CLASSES), np.int64)  # pixels, by what they are and what they were held to be
    for begun in range(0, samples, BATCH):
        images, masks = pipe.run_arrays()
        rows = min(BATCH, samples - begun)
        held = net(images).asnumpy().argmax(axis=1)[:rows]
        known = masks.asnumpy()[:rows, ..., 0].astype(np.int64)
        counts += np.bincount((known * CLASSES + held).ravel(), minlength=CLASSES**2).reshape(CLASSES, CLASSES)
    shared = np.diagonal(counts)
    overlaps = shared / np.maximum(1, counts.sum(axis=0) + counts.sum(axis=1) - shared)
    return overlaps, float(overlaps.mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"))
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--photos", type=int, default=640)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--overlap", type=float, default=0.65)
    arguments = parser.parse_args()
    options = {"num_threads": arguments.threads} if arguments.threads else {}
    tested = arguments.photos // 5
    training, testing = (arguments.out / "shapes" / part for part in ("train", "test"))
    make_shapes(training, arguments.photos)
    make_shapes(testing, tested, first=arguments.photos)
    shape_sheet(pictures(training, True, shows=True, **options).run(), arguments.out / "masks.png", MEAN, STD)
    print(f"see {arguments.out}/masks.png")
    nd.random.seed(1)
    net = Segmenter()
    net.initialize(init.Xavier())
    train(net, pictures(training, True, **options), arguments.photos // BATCH, arguments.epochs)
    overlaps, mean = mean_overlap(net, pictures(testing, False, **options), tested)
    print(", ".join(f"{name} {overlap:.3f}" for name, overlap in zip(("ground", *SHAPES), overlaps, strict=True)))
    outcome = "reached" if mean >= arguments.overlap else "not reached"
    print(f"mean intersection over union on {tested} test pictures: {mean:.3f}, {arguments.overlap} is {outcome}")
    return 0 if mean >= arguments.overlap else 1


if __name__ == "__main__":
    sys.exit(main())
