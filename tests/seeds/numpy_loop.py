"""A loop over one epoch, counted by hand; and the names that scripts look for."""

import sys

import numpy as np
import nvidia.dali
import nvidia.dali.math as dmath
import nvidia.dali.plugin.base_iterator
from nvidia.dali import backend, fn, pipeline_def, types
from nvidia.dali.backend import TensorListCPU
from nvidia.dali.data_node import DataNode
from nvidia.dali.plugin.base_iterator import LastBatchPolicy

batch_size = 4


@pipeline_def(batch_size=batch_size, num_threads=2, device_id=0, seed=0)
def pipeline():
    files, labels = fn.readers.file(file_root=sys.argv[1], name="reader", pad_last_batch=True)
    images = fn.decoders.image_random_crop(files, random_area=[0.1, 1.0])
    images = fn.resize(images, resize_x=32, resize_y=32)
    assert isinstance(images, DataNode)
    scaled = dmath.sqrt(fn.cast(images, dtype=types.FLOAT) / 255)
    return fn.transpose(scaled, perm=[2, 0, 1]), labels.gpu() if False else labels


pipe = pipeline()
pipe.build()
seen = 0
for _ in range(-(-pipe.epoch_size("reader") // batch_size)):
    images, labels = (output.as_cpu() if isinstance(output, TensorListCPU) else output for output in pipe.run())
    batch = np.asarray(images.as_tensor())
    assert batch.shape == (batch_size, 3, 32, 32) and batch.min() >= 0 and batch.max() <= 1
    seen += len(labels)
print("saw", seen, "of", pipe.reader_meta("reader")["epoch_size"], nvidia.dali.__version__, LastBatchPolicy.FILL)
assert backend.TensorListCPU is TensorListCPU
