"""A file for Triton's DALI backend, as users write it: DALI saves its pipeline, and so does Forebay.
`record_autoserialized.py` runs it with DALI, `test_autoserialized.py` with Forebay."""

from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.plugin.triton import autoserialize


@autoserialize
@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=11)
def classify(height: int = 20, width: int = 24):
    encoded = fn.external_source(name="encoded", dtype=types.UINT8, ndim=1)
    scale = fn.external_source(name="scale", dtype=types.FLOAT, ndim=0)
    images = fn.decoders.image(encoded, output_type=types.RGB)
    images = fn.resize(images, size=[height, width], interp_type=types.INTERP_LINEAR, antialias=False)
    mirror = fn.random.coin_flip(probability=1.0)
    return fn.crop_mirror_normalize(
        images, mirror=mirror, dtype=types.FLOAT, output_layout="CHW", crop=(16, 17), mean=[123.0, 116.0, 103.0],
        std=[58.0, 57.0, 57.0],
    ) * scale, fn.cast(images, dtype=types.INT16) - 128
