"""A first pipeline: reads and decodes photographs."""

import sys

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali.pipeline import Pipeline, pipeline_def

image_dir = sys.argv[1]
max_batch_size = 8


@pipeline_def
def simple_pipeline():
    jpegs, labels = fn.readers.file(file_root=image_dir)
    images = fn.decoders.image(jpegs, device="cpu")
    return images, labels


pipe = simple_pipeline(batch_size=max_batch_size, num_threads=1, device_id=0)
pipe.build()
assert isinstance(pipe, Pipeline)

pipe_out = pipe.run()
images, labels = pipe_out
print("images is dense:", images.is_dense_tensor())
print("labels is dense:", labels.is_dense_tensor())

labels_array = np.array(labels.as_tensor())
assert labels_array.shape == labels.as_array().shape == (max_batch_size, 1)
for i in range(max_batch_size):
    image = images.at(i)
    assert image.ndim == 3 and image.shape[2] == 3 and image.dtype == np.uint8
assert images.dtype == types.UINT8
assert images[0].layout() == "HWC"
print(labels)
