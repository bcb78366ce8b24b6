"""The pipeline of `examples/segment_shapes.py` without chance, in DALI or in Forebay: what a batch of it holds.

    python segmentation_pipeline.py FOLDER OUT.npz        with DALI's Python
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np

SIZE = 48
BATCH = 6
NAMES = ("images", "boxes", "labels", "masks", "turned masks", "box of the largest object")


def build(lib: Any, folder: pathlib.Path, threads: int = 2) -> Any:
    """The pipeline, whose outputs are NAMES."""
    fn, types = lib.fn, lib.types
    pipe = lib.Pipeline(batch_size=BATCH, num_threads=threads, device_id=None, seed=1)
    with pipe:
        encoded, boxes, labels, masks = fn.readers.coco(
            name="reader", file_root=str(folder), annotations_file=str(folder / "annotations.json"), ltrb=True,
            ratio=True, pixelwise_masks=True)
        images = fn.decoders.image(encoded)
        masks = fn.cast(masks, dtype=types.UINT8)
        images, masks = (fn.flip(fn.slice(data, [0.1, 0.2], [0.8, 0.7]), horizontal=1) for data in (images, masks))
        boxes, labels = fn.bbox_rotate(fn.bb_flip(boxes, ltrb=True), labels, angle=-17.0, input_shape=images.shape(),
                                       keep_size=True)
        images = fn.rotate(images, angle=-17.0, keep_size=True, fill_value=128.0)
        turned = fn.rotate(masks, angle=-17.0, keep_size=True, fill_value=0.0, interp_type=types.INTERP_NN)
        images = fn.color_twist(images, brightness=1.15)
        images = fn.resize(images, size=(SIZE, SIZE), antialias=True)
        images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="CHW", mean=[128.0], std=[64.0])
        largest = fn.segmentation.random_object_bbox(masks, ignore_class=True, k_largest=1, format="box")
        masks = fn.resize(masks, size=(SIZE, SIZE), interp_type=types.INTERP_NN)
        pipe.set_outputs(images, boxes, labels, masks, turned, largest)
    return pipe


def run(lib: Any, folder: pathlib.Path, threads: int = 2) -> dict[str, np.ndarray]:
    """Every output of every sample, by its name and place."""
    pipe = build(lib, folder, threads)
    pipe.build()
    batch = pipe.run()
    return {
        f"{name} {place}": np.array(output.at(place)) for name, output in zip(NAMES, batch) for place in range(BATCH)
    }


if __name__ == "__main__":
    import nvidia.dali
    import nvidia.dali.fn
    import nvidia.dali.types

    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    np.savez(sys.argv[2], **run(nvidia.dali, pathlib.Path(sys.argv[1])))
