"""Forebay, written as for DALI."""

import contender
import numpy

import forebay
from forebay import fn, pipeline_def, types

ENVIRONMENT = "forebay"


@pipeline_def
def train(work):
    jpegs, _ = fn.readers.file(files=work.files, random_shuffle=not work.checked, name="reader")
    if work.checked:
        images = fn.decoders.image_slice(jpegs, rel_start=[contender.WINDOW_START] * 2,
                                         rel_shape=[contender.WINDOW_SHAPE] * 2, axis_names="HW")
    else:
        images = fn.decoders.image_random_crop(jpegs)
    images = fn.resize(images, size=(contender.SIZE, contender.SIZE), antialias=True)
    mirror = 0 if work.checked else fn.random.coin_flip()
    return fn.crop_mirror_normalize(images, mirror=mirror, mean=contender.MEAN, std=contender.STD,
                                    dtype=types.FLOAT, output_layout="CHW")


copied = []


def open_loader(work):
    pipe = train(work, batch_size=work.batch_size, num_threads=work.threads, device_id=None, seed=1)
    pipe.build()
    batches = len(work.files) // work.batch_size

    def epoch():
        for _ in range(batches):
            (images,) = pipe.run()
            copied.append(forebay.bytes_copied())
            yield numpy.asarray(images.as_tensor())

    return epoch


def copied_per_batch():
    """In steady state: after the first epoch."""
    steady = copied[len(copied) // 2 :]
    return {"bytes_copied_per_batch": (steady[-1] - steady[0]) / (len(steady) - 1)}


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"forebay": forebay.__version__}, copied_per_batch)
