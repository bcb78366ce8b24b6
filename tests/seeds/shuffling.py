"""Shuffling: the same seed gives the same order."""

import sys

from nvidia.dali import fn, pipeline_def


@pipeline_def(batch_size=10, num_threads=2, device_id=0, seed=1234)
def shuffled_pipeline(image_dir):
    jpegs, labels = fn.readers.file(file_root=image_dir, random_shuffle=True, initial_fill=21, name="Reader")
    images = fn.decoders.image(jpegs)
    return images, labels


def first_labels(**arguments):
    pipe = shuffled_pipeline(sys.argv[1], **arguments)
    pipe.build()
    return [int(label) for _ in range(3) for label in pipe.run()[1].as_array().ravel()]


order = first_labels()
print(order)
assert order == first_labels()
assert order == first_labels(num_threads=4)
assert order != first_labels(seed=99)
assert order != sorted(order)
