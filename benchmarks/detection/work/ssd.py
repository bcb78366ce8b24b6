"""SSD300's input (Liu et al., "SSD: Single Shot MultiBox Detector", ECCV 2016): its default boxes, and its pipeline as
DALI's users write it, which Forebay runs as it is."""

import itertools
import pathlib

import contender
import numpy

SIZE = 300
CELLS = (38, 19, 10, 5, 3, 1)  # along a side of each map
STRIDES = (8, 16, 32, 64, 100, 300)  # pixels between the centers of a map's cells
EXTENTS = (21, 45, 99, 153, 207, 261, 315)  # pixels, of each map's boxes and those of a map beyond the last
RATIOS = ((2,), (2, 3), (2, 3), (2, 3), (2,), (2,))
CRITERIA = 0.5
STDS = (0.1, 0.1, 0.2, 0.2)
SATURATION = CONTRAST = (0.5, 1.5)
BRIGHTNESS = (0.875, 1.125)
HUE = 0.5  # degrees, as DALI's example has it


def _extents(place):
    """Width and height of the boxes at one cell of a map."""
    extent = EXTENTS[place] / SIZE
    larger = (EXTENTS[place] * EXTENTS[place + 1]) ** 0.5 / SIZE
    wide = [(extent * ratio**0.5, extent / ratio**0.5) for ratio in RATIOS[place]]
    return [(extent, extent), (larger, larger), *wide, *((height, width) for width, height in wide)]


def default_boxes():
    """All 8732: left, top, right, bottom, as parts of the picture; float32."""
    boxes = []
    for place, cells in enumerate(CELLS):
        step = STRIDES[place] / SIZE
        for y, x in itertools.product(range(cells), repeat=2):
            for extent in _extents(place):
                center = (numpy.array([x, y]) + 0.5) * step
                boxes.append([*(center - numpy.array(extent) / 2), *(center + numpy.array(extent) / 2)])
    return numpy.clip(numpy.float32(boxes), 0, 1)


def outputs(fn, types, work):
    """Images (float32, CHW), offsets and classes of all default boxes. In a check nothing is random, each is mirrored."""
    folder = pathlib.Path(work.files[0]).parent
    encoded, boxes, labels = fn.readers.coco(
        file_root=str(folder), annotations_file=str(folder / "annotations.json"), skip_empty=True, ratio=True,
        ltrb=True, random_shuffle=not work.checked, name="reader")
    if work.checked:
        mirror = 1
        images = fn.decoders.image(encoded)
    else:
        mirror = fn.random.coin_flip()
        start, extent, boxes, labels = fn.random_bbox_crop(
            boxes, labels, aspect_ratio=[0.5, 2.0], thresholds=[0, 0.1, 0.3, 0.5, 0.7, 0.9], scaling=[0.3, 1.0],
            bbox_layout="xyXY", allow_no_crop=True, num_attempts=50)
        images = fn.decoders.image_slice(encoded, start, extent)
    images = fn.resize(images, size=(SIZE, SIZE), antialias=True)
    if not work.checked:
        images = fn.hsv(images, dtype=types.FLOAT, hue=fn.random.uniform(range=[-HUE, HUE]),
                        saturation=fn.random.uniform(range=SATURATION))
        images = fn.brightness_contrast(images, contrast_center=128, dtype=types.UINT8,
                                        brightness=fn.random.uniform(range=BRIGHTNESS),
                                        contrast=fn.random.uniform(range=CONTRAST))
    images = fn.crop_mirror_normalize(images, mirror=mirror, mean=contender.MEAN, std=contender.STD, dtype=types.FLOAT,
                                      output_layout="CHW")
    boxes = fn.bb_flip(boxes, ltrb=True, horizontal=mirror)
    offsets, classes = fn.box_encoder(boxes, labels, criteria=CRITERIA, anchors=default_boxes().ravel().tolist(),
                                      offset=True, stds=list(STDS), scale=SIZE)
    return images, offsets, classes


def open_loader(pipe, work):
    """Epochs of a pipeline of `outputs`."""
    pipe.build()

    def epoch():
        for _ in range(len(work.files) // work.batch_size):
            arrays = [numpy.asarray(output.as_tensor()) for output in pipe.run()]
            yield joined(*arrays) if work.checked else arrays[0]

    return epoch


def joined(images, offsets, classes):
    """One row a sample, for the comparison."""
    return numpy.concatenate([numpy.reshape(array, (len(array), -1)) for array in (images, offsets, classes)], axis=1)


def parts(rows):
    """The images of joined() rows, and for each default box of each sample its offsets and class."""
    boxes = len(default_boxes())
    images, offsets, classes = numpy.split(rows, [3 * SIZE * SIZE, 3 * SIZE * SIZE + 4 * boxes], axis=1)
    return images, numpy.concatenate([offsets.reshape(len(rows), boxes, 4), classes[..., None]], axis=2)
