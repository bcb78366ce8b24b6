"""The older interface: operators as objects, the graph in define_graph()."""

import sys

import nvidia.dali.ops as ops
import nvidia.dali.types as types
from nvidia.dali.pipeline import Pipeline


class SimplePipeline(Pipeline):
    def __init__(self, batch_size, num_threads, device_id):
        super().__init__(batch_size, num_threads, device_id, seed=12)
        self.input = ops.readers.File(file_root=sys.argv[1], random_shuffle=True, name="Reader")
        self.decode = ops.decoders.Image(device="cpu", output_type=types.RGB)
        self.resize = ops.Resize(resize_x=40, resize_y=30, interp_type=types.INTERP_TRIANGULAR)
        self.cmnp = ops.CropMirrorNormalize(
            dtype=types.FLOAT, output_layout="CHW", crop=(24, 24), mean=[128.0] * 3, std=[64.0] * 3
        )
        self.coin = ops.random.CoinFlip(probability=0.5)

    def define_graph(self):
        jpegs, labels = self.input()
        images = self.resize(self.decode(jpegs))
        return self.cmnp(images, mirror=self.coin()), labels


pipe = SimplePipeline(batch_size=5, num_threads=2, device_id=0)
pipe.build()
images, labels = pipe.run()
assert images.as_array().shape == (5, 3, 24, 24)
print(pipe.epoch_size("Reader"), "pictures")
