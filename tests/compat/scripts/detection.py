"""SSD's pipeline as DALI's guides have it: detection.py SHAPES OUTPUT.npz, written for `nvidia.dali`."""

import os
import sys

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import pipeline_def

ANCHORS = [
    float(side)
    for y in range(4)
    for x in range(4)
    for side in (x / 4, y / 4, min(1, x / 4 + 0.4), min(1, y / 4 + 0.4))
]


@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=3)
def detection(file_root, annotations_file):
    images, boxes, labels = fn.readers.coco(
        file_root=file_root,
        annotations_file=annotations_file,
        skip_empty=True,
        ratio=True,
        ltrb=True,
        random_shuffle=False,
        name="Reader",
    )
    images = fn.decoders.image(images, device="cpu", output_type=types.RGB)
    images = fn.resize(images, resize_x=60, resize_y=60, min_filter=types.INTERP_TRIANGULAR)
    images = fn.hsv(images, dtype=types.FLOAT, hue=10.0, saturation=1.2)
    images = fn.brightness_contrast(
        images, contrast_center=128.0, dtype=types.UINT8, brightness=1.1, contrast=0.9
    )
    flip = fn.random.coin_flip(probability=1.0)
    boxes = fn.bb_flip(boxes, ltrb=True, horizontal=flip)
    images = fn.crop_mirror_normalize(
        images,
        mean=[104.0, 117.0, 123.0],
        std=[1.0, 1.0, 1.0],
        mirror=flip,
        dtype=types.FLOAT,
        output_layout="CHW",
        pad_output=False,
    )
    boxes, labels = fn.box_encoder(boxes, labels, criteria=0.3, anchors=ANCHORS)
    return images, boxes, labels


pipeline = detection(sys.argv[1], os.path.join(sys.argv[1], "annotations.json"))
pipeline.build()
arrays = [np.array(output.as_tensor()) for _ in range(4) for output in pipeline.run()]
np.savez(sys.argv[2], *arrays)
