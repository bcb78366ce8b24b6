"""The pipeline of the contenders of `job/` that are Forebay."""

import training_job

from forebay import fn, pipeline_def, types


@pipeline_def
def train(root):
    jpegs, labels = fn.readers.file(file_root=root, random_shuffle=True, name="reader")
    images = fn.decoders.image_random_crop(jpegs)
    images = fn.resize(images, size=(training_job.SIZE, training_job.SIZE), antialias=True)
    images = fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), mean=training_job.MEAN, std=training_job.STD,
                                      dtype=types.FLOAT, output_layout="CHW")
    return images, labels


def batches_of(root, threads):
    """Returns what gives the batches of an epoch."""
    pipe = train(root, batch_size=training_job.BATCH_SIZE, num_threads=threads, device_id=None, seed=1)
    pipe.build()
    count = pipe.epoch_size("reader") // training_job.BATCH_SIZE

    def epoch():
        for _ in range(count):
            yield pipe.run()

    return epoch
