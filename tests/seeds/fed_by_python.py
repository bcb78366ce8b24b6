"""Data from an iterator of one's own, and an operator in Python."""

import glob
import random
import sys

import numpy as np
import nvidia.dali.fn as fn
from nvidia.dali.pipeline import Pipeline

batch_size = 6


class ExternalInputIterator:
    def __init__(self, batch_size):
        self.batch_size = batch_size
        self.files = sorted(glob.glob(sys.argv[1] + "/*/*.jpg"))
        random.Random(3).shuffle(self.files)

    def __iter__(self):
        self.i = 0
        self.n = len(self.files)
        return self

    def __next__(self):
        batch, labels = [], []
        if self.i >= self.n:
            raise StopIteration
        for _ in range(self.batch_size):
            name = self.files[self.i % self.n]
            with open(name, "rb") as file:
                batch.append(np.frombuffer(file.read(), dtype=np.uint8))
            labels.append(np.uint8([len(name)]))
            self.i += 1
        return batch, labels


pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=0)
with pipe:
    jpegs, labels = fn.external_source(source=ExternalInputIterator(batch_size), num_outputs=2, dtype=[None, None])
    decode = fn.decoders.image(jpegs)
    enhanced = fn.brightness_contrast(decode, contrast=2)
    inverted = fn.python_function(enhanced, function=lambda image: 255 - image)
    pipe.set_outputs(enhanced, inverted, labels)

pipe.build()
enhanced, inverted, labels = pipe.run()
assert (enhanced.at(0).astype(int) + inverted.at(0) == 255).all()
batches = 1
try:
    while True:
        pipe.run()
        batches += 1
except StopIteration:
    print("the data ended after", batches, "batches")
