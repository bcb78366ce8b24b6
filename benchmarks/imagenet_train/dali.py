"""NVIDIA DALI on CPU, as its ImageNet example has it."""

import contender
import numpy
import nvidia.dali as dali
from nvidia.dali import fn, types

ENVIRONMENT = "dali"


@dali.pipeline_def
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


def open_loader(work):
    pipe = train(work, batch_size=work.batch_size, num_threads=work.threads, device_id=None, seed=1)
    pipe.build()
    batches = len(work.files) // work.batch_size

    def epoch():
        for _ in range(batches):
            (images,) = pipe.run()
            batch = numpy.asarray(images.as_tensor())
            yield batch.copy() if work.checked else batch  # DALI's memory is its own again after the next run().

    return epoch


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"nvidia-dali": dali.__version__})
