"""What both peers compute: the example's pipeline by DALI on the CPU, built once, and the model by ONNX Runtime."""

import time

import numpy
import onnxruntime
from nvidia.dali import fn, pipeline_def, types

LARGEST_BATCH = 16
THREADS = 1  # of an instance, of which there are as many as cores: more cost more of their time


def _prepared(pictures):
    """As examples/serving/preparation.py."""
    pictures = fn.resize(pictures, resize_shorter=72)
    return fn.crop_mirror_normalize(pictures, crop=(64, 64), dtype=types.FLOAT, mean=[127.5] * 3, std=[127.5] * 3,
                                    output_layout="CHW")


@pipeline_def(batch_size=LARGEST_BATCH, device_id=None, prefetch_queue_depth=1, exec_async=False, exec_pipelined=False)
def of_files():
    files = fn.external_source(name="picture", no_copy=True, dtype=types.UINT8, ndim=1)
    return _prepared(fn.decoders.image(files, output_type=types.RGB))


@pipeline_def(batch_size=LARGEST_BATCH, device_id=None, prefetch_queue_depth=1, exec_async=False, exec_pipelined=False)
def of_pixels():
    return _prepared(fn.external_source(name="picture", no_copy=True, dtype=types.UINT8, ndim=3, layout="HWC"))


class Classifier:
    """`is_encoded`: samples are files, else pixels. Not for several threads at a time."""

    def __init__(self, is_encoded: bool, model: str) -> None:
        self.pipeline = (of_files if is_encoded else of_pixels)(num_threads=THREADS)
        self.pipeline.build()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def classify(self, samples: list) -> tuple[numpy.ndarray, int, int]:
        """Scores, a row each; nanoseconds of preprocessing and of inference. At most LARGEST_BATCH at a time."""
        begun = time.monotonic_ns()
        self.pipeline.feed_input("picture", samples)
        prepared = self.pipeline.run()[0].as_array()
        ready = time.monotonic_ns()
        scores = self.session.run(None, {"pictures": prepared})[0]
        return scores, ready - begun, time.monotonic_ns() - ready
