"""A classifier's pipeline as DALI's guides have it: classification.py PHOTOS OUTPUT.npz, written for `nvidia.dali`."""

import sys

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
STD = [0.229 * 255, 0.224 * 255, 0.225 * 255]


@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=12)
def training(data_dir, crop, size, shard_id, num_shards, is_training=False):
    images, labels = fn.readers.file(
        file_root=data_dir,
        shard_id=shard_id,
        num_shards=num_shards,
        random_shuffle=is_training,
        pad_last_batch=True,
        name="Reader",
    )
    images = fn.decoders.image(images, device="cpu", output_type=types.RGB)
    images = fn.resize(
        images, device="cpu", size=size, mode="not_smaller", interp_type=types.INTERP_TRIANGULAR
    )
    if is_training:
        mirror = fn.random.coin_flip(probability=0.5)
    else:
        mirror = False
    images = fn.crop_mirror_normalize(
        images,
        dtype=types.FLOAT,
        output_layout="CHW",
        crop=(crop, crop),
        mean=MEAN,
        std=STD,
        mirror=mirror,
    )
    return images, labels


pipeline = training(data_dir=sys.argv[1], crop=48, size=56, shard_id=0, num_shards=1)
pipeline.build()
batches = -(-pipeline.epoch_size("Reader") // pipeline.max_batch_size)
arrays = [np.array(output.as_tensor()) for _ in range(batches + 1) for output in pipeline.run()]
meta = pipeline.reader_meta("Reader")
arrays.append(np.array([meta[key] for key in sorted(meta)], np.int64))
np.savez(sys.argv[2], *arrays)
