"""Conditional execution: half of the pictures are turned, the others stay."""

import sys

import numpy as np
from nvidia.dali import fn, pipeline_def, types


@pipeline_def(enable_conditionals=True, batch_size=16, num_threads=2, device_id=0, seed=7)
def random_rotate(image_dir):
    jpegs, _ = fn.readers.file(file_root=image_dir)
    images = fn.resize(fn.decoders.image(jpegs), size=(32, 32))
    do_rotate = fn.random.coin_flip(probability=0.5, dtype=types.BOOL)
    if do_rotate:
        result = fn.rotate(images, angle=90.0, keep_size=True, fill_value=42)
    else:
        result = images
    return result, images, do_rotate


pipe = random_rotate(sys.argv[1])
pipe.build()
result, images, flags = pipe.run()
flags = flags.as_array()
assert 0 < flags.sum() < 16
for index, flag in enumerate(flags):
    same = np.array_equal(result.at(index), images.at(index))
    assert same != bool(flag)
