"""The epoch of the contenders of `first_batch/` that are Forebay."""

import first_batches
import own_package
from training_job import SIZE

own_package.make_importable()

from forebay import fn, pipeline_def  # noqa: E402


ORDERS = {"stored": {}, "shard by shard": {"shuffle": "shard_first"}, "any": {"random_shuffle": True}}


@pipeline_def
def train(paths, order):
    jpegs, numbers = fn.readers.webdataset(paths=paths, ext=["jpg", "cls"], name="reader", **ORDERS[order])
    return fn.resize(fn.decoders.image_random_crop(jpegs), size=(SIZE, SIZE), antialias=True), numbers


def batches_of(row):
    pipe = train(row["tars"], row["order"], batch_size=first_batches.BATCH_SIZE, num_threads=row["threads"],
                 device_id=None, seed=1)
    pipe.build()
    while True:
        yield pipe.run()
