"""use_blend.py LIBRARY: a pipeline with the operators of blend.cc."""

import sys

import numpy as np

from forebay import fn, pipeline_def, plugin_manager

plugin_manager.load_library(sys.argv[1])


@pipeline_def(batch_size=4, num_threads=2, seed=7)
def pictures():  # type: ignore[no-untyped-def]
    dark = np.zeros((32, 48, 3), np.uint8)
    light = np.full((32, 48, 3), 200, np.uint8)
    mixed = fn.my_lab.blend(dark, light, weight=fn.random.uniform(range=(0, 1)))  # type: ignore[attr-defined]
    return fn.my_lab.sparkle(mixed, probability=0.1)  # type: ignore[attr-defined]


(batch,) = pictures().run()
for picture in batch:
    values, counts = np.unique(np.asarray(picture), return_counts=True)
    print(dict(zip(values.tolist(), counts.tolist())))
