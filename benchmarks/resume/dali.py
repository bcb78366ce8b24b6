"""DALI's checkpoints."""

import nvidia.dali as dali
import resume
from nvidia.dali import fn

ENVIRONMENT = "dali"


@dali.pipeline_def(batch_size=resume.BATCH_SIZE, num_threads=1, device_id=None, seed=1, enable_checkpointing=True)
def job(files, decode):
    jpegs, labels = fn.readers.file(files=files, random_shuffle=True, name="reader")
    if not decode:
        return labels
    images = fn.resize(fn.decoders.image_random_crop(jpegs), size=(224, 224))
    return images, labels


def make(files, row, state):
    pipe = job(files, row["decode"], checkpoint=state)
    pipe.build()
    return pipe


if __name__ == "__main__":
    resume.measure(make, lambda pipe: pipe.checkpoint(), len, lambda: {"nvidia-dali": dali.__version__})
