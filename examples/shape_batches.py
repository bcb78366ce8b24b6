"""The pipeline of detect_shapes.py: pictures of shapes with their boxes to batches for training, and the detector's
anchors. It is a DALI script, too: `forebay` is all that is imported."""

import numpy as np

from forebay import fn, pipeline_def, types

SIZE = 64
BATCH = 32
CELLS = {8: 0.25, 4: 0.45, 2: 0.75}  # of each map: cells along a side, and the extent of its anchors
RATIOS = (1.0, 1.6, 0.625)
STDS = (0.1, 0.1, 0.2, 0.2)
MEAN, STD = 128.0, 64.0


def anchors():
    """The default boxes of all maps: left, top, right, bottom."""
    made = []
    for cells, extent in CELLS.items():
        for y in range(cells):
            for x in range(cells):
                for ratio in RATIOS:
                    half = np.array([extent * ratio**0.5, extent / ratio**0.5]) / 2
                    center = (np.array([x, y]) + 0.5) / cells
                    made.append([*(center - half), *(center + half)])
    return np.float32(made)


ANCHORS = anchors()


@pipeline_def(batch_size=BATCH, seed=1)
def pictures(folder, is_training, shows=False):
    """Images with the targets of all anchors; or, to show, with boxes and masks."""
    encoded, boxes, labels, masks = fn.readers.coco(
        file_root=str(folder), annotations_file=str(folder / "annotations.json"), ltrb=True, ratio=True,
        pixelwise_masks=True, random_shuffle=is_training, name="reader")
    images = fn.decoders.image(encoded)
    mirror = fn.random.coin_flip() if is_training else 0
    if is_training:
        start, extent, boxes, labels = fn.random_bbox_crop(
            boxes, labels, aspect_ratio=[0.6, 1.7], scaling=[0.5, 1.0], thresholds=[0.0, 0.1, 0.3], num_attempts=20,
            total_num_attempts=200, bbox_layout="xyXY", all_boxes_above_threshold=False)
        images = fn.slice(images, start, extent)
        masks = fn.slice(masks, start, extent)
        boxes = fn.bb_flip(boxes, ltrb=True, horizontal=mirror)
    images = fn.resize(images, size=(SIZE, SIZE), antialias=True)
    images = fn.crop_mirror_normalize(images, mirror=mirror, dtype=types.FLOAT, output_layout="CHW", mean=[MEAN] * 3,
                                      std=[STD] * 3)
    if shows:
        masks = fn.resize(fn.cast(masks, dtype=types.UINT8), size=(SIZE, SIZE), interp_type=types.INTERP_NN)
        return images, boxes, labels, fn.flip(masks, horizontal=mirror)
    targets, classes = fn.box_encoder(boxes, labels, anchors=ANCHORS.ravel().tolist(), offset=True, stds=list(STDS))
    return images, targets, classes
