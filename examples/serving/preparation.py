"""The pipeline before the model: the same graph prepares batches for training."""

from forebay import fn, pipeline_def, types


@pipeline_def(batch_size=16, num_threads=2, device_id=None)
def preparation():
    pictures = fn.decoders.image(fn.external_source(name="picture"), output_type=types.RGB)
    pictures = fn.resize(pictures, resize_shorter=72)
    return fn.crop_mirror_normalize(
        pictures, crop=(64, 64), dtype=types.FLOAT, mean=[127.5] * 3, std=[127.5] * 3, output_layout="CHW", name="prepared"
    )
