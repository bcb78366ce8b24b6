"""Forebay: state_dict() and load_state_dict()."""

import json

import resume

import forebay
from forebay import fn, pipeline_def

ENVIRONMENT = "forebay"


@pipeline_def(batch_size=resume.BATCH_SIZE, num_threads=1, device_id=None, seed=1)
def job(files, decode):
    jpegs, labels = fn.readers.file(files=files, random_shuffle=True, name="reader")
    if not decode:
        return labels
    images = fn.resize(fn.decoders.image_random_crop(jpegs), size=(224, 224))
    return images, labels


def make(files, row, state):
    pipe = job(files, row["decode"])
    pipe.build()
    if state is not None:
        pipe.load_state_dict(state)
    return pipe


if __name__ == "__main__":
    resume.measure(make, lambda pipe: pipe.state_dict(), lambda state: len(json.dumps(state)),
                   lambda: {"forebay": forebay.__version__})
