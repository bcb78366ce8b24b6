"""Run from an empty folder against an installed wheel: prints where forebay lies and what it delivers."""

import numpy

import forebay
from forebay import fn, pipeline_def


@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def doubled():
    return fn.external_source(lambda: [numpy.array([1.0, 2.0], numpy.float32)] * 2, batch=True) * 2


pipe = doubled()
pipe.build()
(output,) = pipe.run()
assert numpy.array_equal(output.as_array(), [[2, 4], [2, 4]]), output.as_array()
print(forebay.__file__)
