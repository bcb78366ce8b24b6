"""The ceiling: the same delivery, with pictures of the right size that are already decoded in memory."""

import contender
import numpy

import forebay
from forebay import fn, pipeline_def, types

ENVIRONMENT = "forebay"


@pipeline_def
def train(work):
    random = numpy.random.default_rng(1)
    pictures = random.integers(0, 256, (work.batch_size, contender.SIZE, contender.SIZE, 3), numpy.uint8)
    images = fn.external_source(lambda: pictures, batch=True, no_copy=True, layout="HWC")
    return fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), mean=contender.MEAN, std=contender.STD,
                                    dtype=types.FLOAT, output_layout="CHW")


def open_loader(work):
    if work.checked:
        return None
    pipe = train(work, batch_size=work.batch_size, num_threads=work.threads, device_id=None, seed=1)
    pipe.build()
    batches = len(work.files) // work.batch_size
    return lambda: (numpy.asarray(pipe.run()[0].as_tensor()) for _ in range(batches))


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"forebay": forebay.__version__})
