"""Batches by Python as DALI's guides have them: external_source.py PHOTOS OUTPUT.npz, written for `nvidia.dali`."""

import os
import random
import sys

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali.pipeline import Pipeline

batch_size = 4


class ExternalInputIterator:
    """Files of a folder in an order of its own; an epoch ends with the last whole batch."""

    def __init__(self, batch_size, folder):
        self.batch_size = batch_size
        classes = sorted(os.listdir(folder))
        self.files = [
            (os.path.join(folder, name, file), label)
            for label, name in enumerate(classes)
            for file in sorted(os.listdir(os.path.join(folder, name)))
        ]
        random.Random(5).shuffle(self.files)

    def __iter__(self):
        self.i = 0
        self.n = len(self.files)
        return self

    def __next__(self):
        batch = []
        labels = []
        if self.i + self.batch_size > self.n:
            self.__iter__()
            raise StopIteration
        for _ in range(self.batch_size):
            path, label = self.files[self.i]
            with open(path, "rb") as file:
                batch.append(np.frombuffer(file.read(), dtype=np.uint8))
            labels.append(np.array([label], dtype=np.uint8))
            self.i += 1
        return batch, labels


pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=None)
with pipe:
    jpegs, labels = fn.external_source(
        source=ExternalInputIterator(batch_size, sys.argv[1]),
        num_outputs=2,
        dtype=types.UINT8,
        cycle="raise",
    )
    decoded = fn.decoders.image(jpegs, device="cpu")
    enhanced = fn.brightness_contrast(decoded, contrast=1.5)
    small = fn.resize(enhanced, resize_x=40, resize_y=30)
    pipe.set_outputs(small, labels)
pipe.build()

arrays = []
for _ in range(8):
    try:
        arrays += [np.array(output.as_tensor()) for output in pipe.run()]
    except StopIteration:
        pipe.reset()
        arrays.append(np.array([-1]))
np.savez(sys.argv[2], *arrays)
