"""The pipeline of `examples/detect_shapes.py` without chance, in DALI or in Forebay: what a batch of it holds.

    python detection_pipeline.py FOLDER OUT.npz        with DALI's Python
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np

SIZE = 48
BATCH = 6


def _anchors() -> list[float]:
    grid = np.stack(np.meshgrid(np.arange(6), np.arange(6)), -1).reshape(-1, 2) / 6
    return [float(edge) for edge in np.concatenate([grid, grid + 0.3], axis=1).ravel()]


NAMES = ("images", "boxes", "masks", "ids", "anchor", "extent", "turned", "turned labels", "targets", "classes")


def build(lib: Any, folder: pathlib.Path, threads: int = 2) -> Any:
    """The pipeline, whose outputs are NAMES."""
    fn, types = lib.fn, lib.types
    pipe = lib.Pipeline(batch_size=BATCH, num_threads=threads, device_id=None, seed=1)
    with pipe:
        encoded, boxes, labels, masks, ids = fn.readers.coco(
            name="reader", file_root=str(folder), annotations_file=str(folder / "annotations.json"), ltrb=True, ratio=True,
            pixelwise_masks=True, image_ids=True)
        images = fn.decoders.image(encoded)
        images, masks = (fn.flip(fn.slice(data, [0.1, 0.2], [0.8, 0.7]), horizontal=1) for data in (images, masks))
        anchor, extent, cut, cut_labels = fn.random_bbox_crop(boxes, labels, allow_no_crop=False, all_boxes_above_threshold=False)
        cut = fn.bb_flip(cut, ltrb=True)
        turned, turned_labels = fn.bbox_rotate(cut, cut_labels, angle=20.0, input_shape=fn.shapes(images), keep_size=True)
        images = fn.crop_mirror_normalize(fn.resize(images, size=(SIZE, SIZE)), dtype=types.FLOAT, mean=[100.0], std=[50.0])
        targets, classes = fn.box_encoder(cut, cut_labels, anchors=_anchors(), offset=True, criteria=0.3)
        pipe.set_outputs(images, cut, masks, ids, anchor, extent, turned, turned_labels, targets, classes)
    return pipe


def run(lib: Any, folder: pathlib.Path, threads: int = 2) -> dict[str, np.ndarray]:
    """Every output of every sample, by its name and place."""
    pipe = build(lib, folder, threads)
    pipe.build()
    batch = pipe.run()
    return {f"{name} {place}": np.array(output.at(place)) for name, output in zip(NAMES, batch) for place in range(BATCH)}


if __name__ == "__main__":
    import nvidia.dali
    import nvidia.dali.fn
    import nvidia.dali.types

    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    np.savez(sys.argv[2], **run(nvidia.dali, pathlib.Path(sys.argv[1])))
