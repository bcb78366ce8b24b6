"""Augmentation: rotates by a fixed angle, and by one drawn for each picture."""

import sys

import numpy as np
from nvidia.dali import fn, pipeline_def, types


@pipeline_def(seed=12)
def rotated_pipeline(image_dir):
    jpegs, labels = fn.readers.file(file_root=image_dir, random_shuffle=True, initial_fill=21)
    images = fn.decoders.image(jpegs, output_type=types.RGB)
    rotated = fn.rotate(images, angle=10.0, fill_value=0)
    return rotated, labels


@pipeline_def(seed=12)
def random_rotated_pipeline(image_dir):
    jpegs, labels = fn.readers.file(file_root=image_dir, random_shuffle=True, initial_fill=21)
    images = fn.decoders.image(jpegs, device="cpu")
    angle = fn.random.uniform(range=(-10.0, 10.0))
    rotated_images = fn.rotate(images, angle=angle, fill_value=0)
    return rotated_images, labels, angle


pipe = rotated_pipeline(sys.argv[1], batch_size=4, num_threads=1, device_id=0)
pipe.build()
images, labels = pipe.run()
print([sample.shape() for sample in images.as_cpu()])

pipe = random_rotated_pipeline(sys.argv[1], batch_size=8, num_threads=2, device_id=0)
pipe.build()
images, labels, angles = pipe.run()
angles = angles.as_cpu().as_array()
assert len(np.unique(angles)) == 8
assert (np.abs(angles) <= 10).all()
for index in range(8):
    assert images.as_cpu().at(index).dtype == np.uint8
